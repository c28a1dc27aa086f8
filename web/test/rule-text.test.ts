import i18next from 'i18next';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { ApiError } from '@/api/errors';
import { faultText } from '@/blocks/import/faultText';
import { errorText } from '@/components/notices';
import { ruleText } from '@/components/ruleText';
import en from '@/i18n/locales/en.json';
import zh from '@/i18n/locales/zh.json';

beforeAll(async () => {
  await i18next.init({
    lng: 'zh',
    fallbackLng: false,
    resources: { zh: { base: zh }, en: { base: en } },
    defaultNS: 'base',
    interpolation: { escapeValue: false },
  });
});

test.each([
  ['must exist on this gateway, /dev/ttyS1 does not', '该网关上没有 /dev/ttyS1'],
  ["must be unique, 'plc' stands there twice", '“plc”重复'],
  ["must be the name of a port, 'x' is none", '没有名为“x”的端口'],
  [
    'must be modbus_rtu, which the first slave of port com1 speaks',
    '应为 modbus_rtu：端口 com1 的第一台从机使用此协议',
  ],
  ["must be one of COM, NET, not 'X'", '应为：COM, NET'],
  ['must be a whole number, not a text', '应为整数，而不是文本'],
  ['must be true or false, not a number', '应为是/否，而不是数值'],
  ['must be at most 247', '不能大于 247'],
  ['must be given for a COM port, such as /dev/ttyS1', '串口必须填写串口设备，如 /dev/ttyS1'],
  ['must have the time for its requests: they would take 140 % of it', '端口来不及采集：所需时间占 140%'],
  [
    "3 to 40 letters, digits, '-' or '_', starting with a letter or digit",
    '应为 3 至 40 个字母、数字、连字符或下划线，并以字母或数字开头',
  ],
  [
    "must be named by the gateway's list of networks (edge-agent network): 127.0.0.1 is loopback; run edge-agent network --data DIR --add 127.0.0.1/32",
    '127.0.0.1（loopback）须在网关本地设置的允许网段中单独列出。请在网关上执行：edge-agent network --data DIR --add 127.0.0.1/32（DIR 为 --data 指定的目录）。',
  ],
  [
    "must be named by the gateway's list of networks (edge-agent network): 224.0.0.1 is multicast",
    '224.0.0.1（multicast）须在网关本地设置的允许网段中单独列出',
  ],
  ['a sentence that nobody knows', 'a sentence that nobody knows'],
])('%s', (rule, words) => {
  expect(ruleText(rule)).toBe(words);
});

describe('what a value breaks', () => {
  const refused = (reason: string, args: Record<string, number>): ApiError =>
    new ApiError({ code: 10002, status: 400, field: 'body.latitude', rule: 'Input should be', reason, args });

  it('is told with its field and limit, in the language of the user', () => {
    expect(errorText(refused('constraint.at_most', { limit: 90 }))).toBe('请求参数错误 · latitude: 不能大于 90');
  });

  it("is told of a cell as of a field, and by the editor's words of points", () => {
    expect(faultText('at_most', { limit: 90 })).toBe('不能大于 90');
    expect(faultText('formula_or_script', {})).toBe('公式与脚本只能填一个');
    expect(faultText('modbus_interval', { min: 5 })).toBe('Modbus 的最小间隔不小于 5 毫秒'); // the protocol's own
    expect(faultText('new_code', {})).toBe('不符合要求：new_code');
  });
});

test.each([
  ['must not overlap internal_slave_points[0] (plc.level, 4X 0 to 1)', '与 plc.level（4X 0 to 1）地址重叠'],
  ["must be a point of plc, 'x' is none", '从机 plc 没有数据点“x”'],
  ['must be false: plc.flow cannot be written', '须关闭：plc.flow 不可写'],
  ['must be string for a point of type str', '与数据点的类型（str）不符'],
  ['must not be 8081, the port of the local page', '端口 8081 已用于网关的本地页面'],
  ['must be a line of its own, port rs485 has it', '须为专用串口，该串口已被端口 rs485 使用'],
  ['must be a time zone that this machine knows, such as Asia/Shanghai', '网关没有这个时区'],
])('%s, as the gateway says of masters and loop writes', (rule, words) => {
  expect(ruleText(rule)).toBe(words);
});
