'use strict';
// What the gateway answers when it refuses something, in the reader's language; names of fields stay as they are.
const KINDS = { 'a whole number': '整数', 'a number': '数值', 'a text': '文本', 'true or false': '布尔值', 'a list': '列表', 'a table': '表', nothing: '空', 'a date with a time': '日期时间', 'a date': '日期', 'a time': '时间' };
const kinds = (said) => said.replace(/a date with a time|true or false|a whole number|a number|a text|a list|a table|nothing|a date|a time/g, (kind) => KINDS[kind]).replace(/ or /g, '或');
const moreSlaves = (named) => named.replace(/ and (\d+) more slaves$/, ' 等，另有 $1 台从机');
const RULES = { zh: [
  [/^must not have '(.+)': there is no such field$/, '没有名为 $1 的字段'],
  [/^must not have '(.+)': there is no such field; is '(.+)' meant\?$/, '没有名为 $1 的字段，是否应为 $2？'],
  [/^there is no such field$/, '没有此字段'],
  [/^must have '(.+)'$/, '缺少必填项 $1'],
  [/^must be ((?:a whole number|a number|a text|true or false|a list|a table|nothing|a date with a time|a date|a time)(?: or (?:a whole number|a number|a text|true or false|a list|a table|nothing|a date with a time|a date|a time))*), not ((?:a whole number|a number|a text|true or false|a list|a table|nothing|a date with a time|a date|a time)(?: or (?:a whole number|a number|a text|true or false|a list|a table|nothing|a date with a time|a date|a time))*)$/, (_, wanted, given) => `类型应为${kinds(wanted)}，而不是${kinds(given)}`],
  [/^must have at least (\d+) (?:characters|items|entries|bytes).*$/, '长度不得小于 $1'],
  [/^must have at most (\d+) (?:characters|items|entries|bytes).*$/, '长度不得超过 $1'],
  [/^must be above (\S+)$/, '必须大于 $1'],
  [/^must be below (\S+)$/, '必须小于 $1'],
  [/^3 to 40 letters, digits, '-' or '_', starting with a letter or digit$/, '3 到 40 个字母、数字、- 或 _，以字母或数字开头'],
  [/^must fit the pattern (.+)$/, '格式应符合 $1'],
  [/^must be one of the known values, which (.+) is not$/, '取值 $1 无效'],
  [/^must be one of (.+), not (.+)$/, '必须是以下之一：$1，而不是 $2'],
  [/^(\d+) of (\d+) points that were good are not: (.+)$/, (_, bad, all, named) => `原本正常的 ${all} 个数据点中有 ${bad} 个未恢复：${moreSlaves(named)}`],
  [/^silent: (.+)$/, (_, named) => `无应答的从机：${moreSlaves(named)}`],
  [/^no link to the cloud: (.+)$/, '云平台未连接：$1'],
  [/^ended by (.+)$/, '由 $1 结束'],
  [/^port (\S+) is lent to (.+)$/, '端口 $1 由 $2 占用'],
  [/^(\S+): must count upwards over at most (\d+) addresses$/, '$1：应由小到大，最多 $2 个地址'],
  [/^(\S+): numbers must have at most (\d+) digits$/, '$1：数字最多 $2 位'],
  [/^(\S+) with (\d+) line settings are more than (\d+) requests$/, '$1 个地址乘 $2 种线路设置超过 $3 次请求'],
  [/^(\S+) needs a port of type (.+)$/, '$1 需要 $2 类型的端口'],
  [/^one is under way$/, '已有一次搜索正在进行'],
  [/^a resend of the local history is under way$/, '已有一次重传正在进行'],
  [/^must be at most 6 letters and digits$/, '最多 6 位字母或数字'],
  [/^must be 16 printable ASCII characters or 32 hexadecimal digits$/, '须为 16 个字符或 32 位十六进制数'],
  [/^must have (\d+) to (\d+) characters$/, '长度必须是 $1 到 $2 个字符'],
  [/^must be TOML: (.+)$/, 'TOML 语法错误：$1'],
  [/^must be a JSON object: (.+)$/, 'JSON 语法错误：$1'],
  [/^must exist on this gateway, (.+) does not$/, '此网关上没有 $1'],
  [/^must have the time for its requests: they would take (\S+) %.*$/, '此端口来不及完成全部请求：需要其时间的 $1 %'],
  [/^must name a (\w+)/, '必须是已配置的 $1 的名称'],
  [/^must be named by the gateway's list of networks \(edge-agent network\): (\S+) is (.+); run (edge-agent .+)$/, '须在“允许的网段”中单独列出：$1 属于 $2。在本页的“允许的网段”中添加，或在网关上执行 $3（DIR 为 --data 指定的目录）'],
  [/^must be named by the gateway's list of networks \(edge-agent network\): (\S+) is (.+)$/, '须在“允许的网段”中单独列出：$1 属于 $2'],
  [/^must be private, or in the gateway's list of networks \(edge-agent network\): (\S+)$/, '须为私有地址，或在“允许的网段”内：$1'],
  [/^must be in the gateway's list of networks \(edge-agent network\).*: (\S+)$/, '不在“允许的网段”内：$1'],
  [/^must be an address or a network such as (\S+), .*$/, '须为 IP 地址或网段，例如 $1'],
  [/^must not be in a configuration: set it with edge-agent target-password or on the local page$/, '不得写入配置：请在本页设置，或在网关上执行 edge-agent target-password'],
  [/^must be 1 to (\d+) printable characters$/, '必须是 1 到 $1 个可打印字符'],
  [/^must be slave\.point of a point, '(.+)' is none$/, '必须是“从机.数据点”，$1 不存在'],
  [/^must be false, (\S+) is readonly$/, '必须为 false：$1 为只读'],
  [/^must be one topic, without the wildcards \+ and #$/, '必须是单个主题，不得含通配符 + 和 #'],
  [/^must have no braces but (.+)$/, '花括号只能用于 $1'],
  [/^must be unique/, '不得重复'],
  [/^must be from (\S+) to (\S+)$/, '必须在 $1 到 $2 之间'],
  [/^(?:\w+: )?must be one of (.+)$/, '必须是以下之一：$1'],
  [/^(?:\w+: )?must be true or false$/, '必须是 true 或 false'],
  [/^must be empty for a point that is not of type (.+)$/, '类型不是 $1 的数据点不得填写'],
  [/^must differ from (\S+)$/, '不得与 $1 相同'],
  [/^must be at most (\S+), not (\S+)$/, '不得超过 $1，现为 $2'],
  [/^(?:\w+: )?must be at most (\S+)$/, '不得超过 $1'],
  [/^(?:\w+: )?must be at least (\S+)$/, '不得小于 $1'],
  [/^(?:\w+: )?must be a (?:finite )?number$/, '必须是数值'],
  [/^(?:\w+: )?must be a text$/, '必须是文本'],
  [/^must have 1 to (\d+) characters$/, '长度必须是 1 到 $1 个字符'],
  [/^must be given$/, '必须填写'],
  [/^must be given for (.+)$/, '对于 $1 必须填写'],
  [/^must be given for (.+) only$/, '只有 $1 可以填写'],
  [/^must be given: no slave of port (\S+) says it$/, '必须填写：端口 $1 没有已配置的从机'],
  [/^must not be 0$/, '不得为 0'],
  [/^must be readonly (.+)$/, '必须为只读（$1）'],
  [/^must be a text of hexadecimal digits/, '必须是十六进制数字'],
  [/^must be the number of the first address, in (\w+) digits$/, '必须是首地址的编号（$1）'],
  [/^(?:\w+: )?is read only$/, '此数据点只读'],
  [/^(?:\w+: )?cannot be read$/, '此数据点不可读'],
  [/^(\S+) has no memory that could be read raw$/, '$1 没有可直接读取的内存'],
  [/^(\S+) is calculated, no device holds it$/, '$1 是计算点，不在任何设备中'],
  [/^.*\d (?:is )?outside (\S+)$/, '超出 $1 的范围'],
  [/^must be (.+)$/, '必须是 $1'],
  [/^must not (.+)$/, '不允许：$1'],
] };

// A rule in the reader's language; undefined where no pattern fits or the gateway's own words will do.
function translated(rule) {
  const found = (RULES[language] ?? []).find(([form]) => form.test(rule));
  return found && rule.replace(...found);
}

// What a gateway says of its slaves, with the words for its reasons: "boiler (21: no_answer)".
function inWords(said) {
  const points = /^\d+ of \d+ points/.test(said), counted = (count) => t('nPoints', count);
  const told = (translated(said) ?? said).replace(/\((?:(\d+): )?([a-z_]+)\)/g, (whole, count, code) => word('c_' + code) ? `(${count ? counted(count) + ': ' : ''}${word('c_' + code)})` : whole);
  return points ? told.replace(/\((\d+)\)/g, (_, count) => `(${counted(count)})`) : told;
}

// Lines for the reader: each fault with its field; where the words are not the gateway's own, these follow.
function refusal({ data = {}, code }) {
  const faults = data.faults ?? (data.error ? [data.error] : []), lines = data.outcome === 'unknown' ? [t('mayBeWritten')] : [];
  if (!faults.length) return [String(code)];
  for (const { field, rule } of faults) {
    const original = field === 'device' && data.code ? rule : `${field}: ${rule}`, known = TEXTS[language]['c_' + data.code];
    const says = translated(rule);
    if (known) lines.push(known, original);
    else if (!RULES[language]) lines.push(original);
    else if (says) lines.push(`${field}：${says}`);
    else lines.push(t('gatewaySays', field), original);
  }
  return lines;
}
