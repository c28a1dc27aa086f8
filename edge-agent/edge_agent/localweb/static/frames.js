'use strict';
// A decoded frame in one line, in the reader's language. What is not listed stays as the gateway calls it.
const FIELDS_ZH = {
  transaction: '事务号', length: '长度', unit: '单位', function: '功能码', exception: '异常码', meaning: '含义', address: '地址', value: '值', start: '起始地址', count: '数量', byte_count: '字节数', bits: '位', registers: '寄存器', checksum: '校验和', text: '文本', data: '数据',
  statute: '规约', wake_up: '前导字节', control: '控制码', command: '命令', refused: '拒绝', more_follows: '有后续帧', error: '错误', di: '数据标识', item: '数据项', values: '值', value_bytes: '值（原始）', data_bytes: '数据（原始）', level: '权限', password: '密码', passwords: '密码', operator: '操作者', number: '序号',
  own_address: '设备地址', new_address: '新地址', time: '时间', moment: '时刻', rate: '速率', action: '动作', valid_until: '有效期至', reserved: '保留', selection: '选择', events: '事件', new_level: '新权限', new_password: '新密码',
  reference: '参考号', to: '目标站', by: '源站', parameter: '参数', items: '项目', area: '区', bit: '位', transport: '传输类型', order_number: '订货号', local_tsap: '本地 TSAP', remote_tsap: '远程 TSAP', pdu: 'PDU', db: 'DB',
  frame: '帧型', code: '编码', pc: 'PC 号', network: '网络号', station: '站号', module_io: '模块 I/O', timer_ms: '监视定时 (ms)', end_code: '结束代码', model: '型号', set: '指令集', memory: '存储区', bit_address: '位地址', device: '软元件',
};
const SAID_ZH = {
  'read coils': '读线圈', 'read inputs': '读离散输入', 'read holding registers': '读保持寄存器', 'read input registers': '读输入寄存器', 'write coil': '写单个线圈', 'write register': '写单个寄存器', 'write coils': '写多个线圈', 'write registers': '写多个寄存器', 'report server id': '读设备标识', 'read device identification': '读设备信息',
  'illegal function': '功能码无效', 'illegal data address': '数据地址无效', 'illegal data value': '数据值无效', 'device failure': '设备故障', 'acknowledged, still working': '已接受，处理中', 'device busy': '设备忙', 'negative acknowledge': '否定应答', 'memory parity error': '存储奇偶校验错误', 'gateway path unavailable': '网关路径不可用', 'gateway target did not answer': '网关目标无应答', unknown: '未知',
  authenticate: '安全认证', set_time: '校时', read: '读', read_more: '读后续数据', read_again: '重读', read_address: '读通信地址', write: '写', write_address: '写通信地址', freeze: '冻结', change_rate: '改通信速率', change_password: '改密码', clear_demand: '最大需量清零', clear_meter: '电表清零', clear_events: '事件清零', relay: '拉合闸', terminal_output: '多功能端子输出',
  'other error': '其他错误', 'no such data': '无请求数据', 'wrong password or not authorised': '密码错误或未授权', 'rate cannot be changed': '通信速率不能更改', 'too many year zones': '年时区数超', 'too many day slots': '日时段数超', 'too many tariffs': '费率数超', 'illegal data': '非法数据', 'no such identifier': '数据标识错误', 'wrong password': '密码错误', 'no reason given': '未给出原因',
  setup: '建立通信', connect: '连接', connected: '已连接', disconnect: '断开', acknowledge: '确认', poll: '轮询', userdata: '用户数据', 'batch read in bits': '按位批量读', 'batch read in words': '按字批量读', 'batch write in bits': '按位批量写', 'batch write in words': '按字批量写', 'model name read': '读型号', true: '是', false: '否',
};

const SAYING = new Set(['name', 'function', 'command', 'meaning', 'refused', 'more_follows']);

function saidInChinese(value) {
  const whole = String(value), parts = whole.split(', '), known = (part) => Object.hasOwn(SAID_ZH, part);
  return known(whole) ? SAID_ZH[whole] : parts.every(known) ? parts.map((part) => SAID_ZH[part]).join('、') : whole;
}

// The bytes stand in the frame itself: where they are read as registers or bits, they are not told a third time.
function frameWords(fields) {
  const chinese = language === 'zh', decoded = fields.registers ?? fields.bits;
  const named = (name, value) => !chinese ? name.replaceAll('_', ' ') : name === 'unit' && typeof value === 'number' ? '站号' : FIELDS_ZH[name] ?? name;
  const told = (name, value) => Array.isArray(value) && value.every((one) => typeof one !== 'object') ? value.map((one) => one === true ? 1 : one === false ? 0 : one).join(' ') : typeof value === 'object' ? JSON.stringify(value) : chinese && SAYING.has(name) ? saidInChinese(value) : String(value);
  return Object.entries(fields)
    .filter(([name]) => name !== 'direction' && name !== 'name' && !(name === 'data' && decoded))
    .map(([name, value]) => `${named(name, value)} ${told(name, value)}${name === 'function' && fields.name ? ` (${told('name', fields.name)})` : ''}`).join(' · ');
}
