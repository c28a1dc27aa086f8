'use strict';
// The commissioning tools: frames of a port, memory as it lies, one read, one write.
const TRACE_MS = 1000, SCAN_MS = 500, DATA_TYPES = ['uint16', 'int16', 'uint32', 'int32', 'float', 'uint64', 'int64', 'double', 'uint8', 'int8', 'string', 'switch'], SWITCH = { on: true, off: false, true: true, false: false };
let following = true, toolTimer = 0, lastTrace = '', addressFields = [], optionFields = [];

async function openTools() {
  if (!about) about = (await ask('tools')).data;
  const ports = about.ports.map((port) => [port.name, port.name]);
  fill($('trace-port'), ports, true); fill($('scan-port'), ports, true); fill($('device-port'), ports, true);
  fill($('device-slave'), [...about.slaves.map((slave) => [slave.name, `${slave.title} (${slave.protocol} ${slave.address})`]), ['', t('otherDevice')]], true);
  if (!$('scan-bauds').children.length) {
    for (const baud of BAUDS) $('scan-bauds').append(tick(baud, false));
    for (const parity of PARITIES) $('scan-parities').append(tick(parity, false));
  }
  fill($('once-type'), DATA_TYPES.map((name) => [name, name === 'switch' ? t('switchType') : name]), true);
  portChosen(); deviceChosen(); followTools();
}

function protocolsOf(select, portName) {
  const port = about.ports.find((one) => one.name === portName);
  const fitting = about.protocols.filter((one) => port && one.port_types.includes(port.type)).map((one) => [one.name, one.name]);
  fill(select, fitting, true);
  if (port?.protocol && !select.dataset.touched) select.value = port.protocol;
}

function deviceChosen() {
  const other = !$('device-slave').value;
  $('device-other').hidden = !other;
  protocolsOf($('device-protocol'), $('device-port').value);
  proposeAddress();
  drawDevice();
}

// The usual address of the protocol, until somebody enters another one.
function proposeAddress() {
  const input = $('device-address'), usual = protocolOf($('device-protocol').value)?.connection.address;
  if (usual && (!input.value || input.value === (input.dataset.usual ?? '1'))) { input.value = usual; input.dataset.usual = usual; }
}

const deviceProtocol = () => about.slaves.find((slave) => slave.name === $('device-slave').value)?.protocol ?? $('device-protocol').value;

function drawDevice() {
  const chosen = protocolOf(deviceProtocol()), box = $('device-at');
  optionFields = drawOptions('device', $('device-port').value, $('device-protocol').value);
  addressFields = [];
  $('raw-box').hidden = !chosen?.raw;
  if (!chosen) { box.replaceChildren(); return; }
  addressFields = form(box, 'address', chosen.name, chosen.schema, false);
  const item = addressFields.find(({ name }) => name === 'item');
  if (item && chosen.items.length) {
    const list = make('datalist'); list.id = 'items';
    for (const one of chosen.items) { const option = make('option', '', one[language]); option.value = one.item; list.append(option); }
    item.input.setAttribute('list', 'items'); box.append(list);
  }
}

function device() {
  const slave = $('device-slave').value;
  return slave ? { slave } : { port: $('device-port').value, protocol: $('device-protocol').value, address: $('device-address').value.trim(), options: texted(optionFields) };
}

const brief = (value) => typeof value === 'string' ? value : Number.isSafeInteger(value) ? String(value) : Math.abs(value) >= 1e15 || (value && Math.abs(value) < 1e-6) ? value.toExponential(4) : Number.isInteger(value) ? value : Number(value.toPrecision(7));

// ---- frames

// Show the frames of this port, wherever the reader comes from.
async function followPort(name) {
  if (!about) await openTools();
  $('trace-port').value = name;
  lastTrace = '';
  $('trace-port').scrollIntoView({ block: 'center' });
  $('trace-port').focus();
  await drawTrace();
}

async function followTools() {
  clearTimeout(toolTimer);
  if (!signedIn || tab !== 'tools' || !about) return;
  try {
    if (following) await drawTrace();
    await drawScan();
  } catch { /* the page says that the connection is lost */ }
  toolTimer = setTimeout(followTools, following ? TRACE_MS : SCAN_MS);
}

async function drawTrace() {
  const port = $('trace-port').value;
  $('trace-file').href = 'api/tools/trace.txt?port=' + encodeURIComponent(port);
  const { data } = await ask('tools/trace?port=' + encodeURIComponent(port)), text = JSON.stringify(data);
  if (text === lastTrace) return;
  lastTrace = text;
  const box = $('trace'), atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 30;
  box.replaceChildren(...(data.frames ?? []).map((frame) => {
    const row = make('div', 'frame is-' + frame.direction + (frame.error ? ' is-bad' : ''));
    const time = new Date(frame.t_ms).toLocaleTimeString(language, { hour12: false }) + '.' + String(frame.t_ms % 1000).padStart(3, '0');
    row.append(make('span', 'when', time), make('span', 'way', frame.direction === 'request' ? '→' : '←'), make('code', '', frame.hex));
    const says = frame.error ?? (frame.fields ? frameWords(frame.fields) : '');
    if (says) row.append(make('span', 'says', says));
    return row;
  }));
  if (!box.children.length) box.append(make('p', 'hint', t('noFrames')));
  if (atEnd) box.scrollTop = box.scrollHeight;
}

// ---- once

async function readRaw() {
  const expected = $('raw-expected').value.trim().replace(',', '.'), outcome = $('once-state');
  if (expected && !Number.isFinite(Number(expected))) { say(outcome, 'is-bad', t('needValue')); return; }
  const reply = await ask('tools/raw', { device: device(), at: texted(addressFields), count: Number($('raw-count').value) || 4, expected: expected === '' ? null : Number(expected) });
  clearRaw();
  if (reply.code !== 200) { say(outcome, 'is-bad', ...refusal(reply)); return; }
  say(outcome, 'is-good mono', `${reply.data.data} (${reply.data.took_ms} ms)`);
  put($('raw-text'), Object.entries(reply.data.texts).map(([order, text]) => `${t('rawText')} ${order}  ${text}`).join('\n'));
  put($('raw-meets'), expected !== '' && !reply.data.meets ? t('nothingMeets', expected) : '');
  const head = make('tr');
  for (const name of ['rawAt', 'rawType', 'rawOrder', 'rawValue', 'rawRatio']) head.append(make('th', '', t(name)));
  $('raw-table').append(head, ...reply.data.readings.map((one) => {
    const row = make('tr', one.ratio === null ? '' : 'is-good');
    for (const text of [one.at, one.data_type, one.order, brief(one.value), one.ratio ?? '']) row.append(make('td', '', String(text)));
    return row;
  }));
}

function clearRaw() { $('raw-table').replaceChildren(); put($('raw-text'), ''); put($('raw-meets'), ''); }

const named = (value) => typeof value === 'boolean' ? t(value ? 'on' : 'off') : String(value ?? '–');

function valueEntered(type) {
  const text = $('once-value').value.trim(), number = Number(text.replace(',', '.'));
  const value = type === 'string' ? text : type === 'switch' ? SWITCH[text.toLowerCase()] : number;
  if (!text || value === undefined || Number.isNaN(value) || value === Infinity || value === -Infinity) throw new Refused(t(type === 'switch' ? 'needSwitch' : 'needValue'));
  return value;
}

class Refused extends Error {}

async function once(path) {
  clearRaw();
  const type = $('once-type').value, outcome = $('once-state'), kind = { string: 'str', switch: 'swh' }[type] ?? 'num';
  const body = { device: device(), point: { type: kind, data_type: type === 'switch' ? 'uint16' : type, address: texted(addressFields) } };
  if (path === 'write') {
    try { body.value = valueEntered(type); } catch (error) { if (error instanceof Refused) { say(outcome, 'is-bad', error.message); return; } throw error; }
    const slave = about.slaves.find((one) => one.name === $('device-slave').value);
    const agreed = await sure(t('sureWrite'), t('confirm'), [
      [t('slave'), slave ? slave.title : t('otherDevice')], [t('port'), slave?.port ?? body.device.port], [t('protocol'), deviceProtocol()], [t('address'), slave?.address ?? body.device.address],
      ...addressFields.filter(({ input }) => input.value.trim()).map((one) => [one.label, one.input.value.trim()]), [t('dataType'), type === 'switch' ? t('switchType') : type], [t('newValue'), named(body.value)],
    ]);
    if (!agreed) { say(outcome, '', t('notWritten')); return; }
  }
  const reply = await ask('tools/' + path, body);
  if (reply.code !== 200) { say(outcome, 'is-bad', ...refusal(reply)); return; }
  const { value, raw, took_ms: took, same, quality } = reply.data;
  say(outcome, quality === 0 && same ? 'is-good' : 'is-bad', `${named(value)} · ${t('rawIs', raw ?? '–')} · ${took} ms · ${t('q' + quality)}${same ? '' : ' · ' + t('c_mismatch')}`);
}

$('trace-port').addEventListener('change', () => { lastTrace = ''; drawTrace(); });
$('trace-follow').addEventListener('change', () => { following = $('trace-follow').checked; followTools(); });
$('device-slave').addEventListener('change', deviceChosen);
$('device-port').addEventListener('change', () => { delete $('device-protocol').dataset.touched; deviceChosen(); });
$('device-protocol').addEventListener('change', () => { $('device-protocol').dataset.touched = '1'; proposeAddress(); drawDevice(); });
$('raw-go').addEventListener('click', () => doing($('raw-go'), $('once-state'), readRaw));
$('once-read').addEventListener('click', () => doing($('once-read'), $('once-state'), () => once('read')));
$('once-write').addEventListener('click', () => doing($('once-write'), $('once-state'), () => once('write')));
