'use strict';
// The commissioning tools: frames of a port, scan, memory as it lies, one read, one write.
const TRACE_MS = 1000, SCAN_MS = 500, DATA_TYPES = ['uint16', 'int16', 'uint32', 'int32', 'float', 'uint64', 'int64', 'double', 'uint8', 'int8', 'string', 'switch'], SWITCH = { on: true, off: false, true: true, false: false, 1: true, 0: false };
const BAUDS = [1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200], PARITIES = ['N', 'E', 'O'];
let about = null, following = true, toolTimer = 0, lastTrace = '', addressFields = [], optionFields = [], scanFields = [], scanRefused = null;
const typedIn = {}; // by place and protocol: another device has other fields of the same name

const words = (schema) => schema['x-label'] ?? schema.anyOf?.[0]?.['x-label'] ?? {};
const room = (name) => about.protocols.find((one) => one.name === name);

function fill(select, entries, keep) {
  const before = keep ? select.value : '';
  select.replaceChildren(...entries.map(([value, text]) => { const option = make('option', '', text); option.value = value; return option; }));
  if (entries.some(([value]) => value === before)) select.value = before;
}

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

function tick(value, checked) {
  const label = make('label', 'check'), box = make('input');
  box.type = 'checkbox'; box.value = value; box.checked = checked;
  label.append(box, make('span', '', String(value)));
  return label;
}

const ticked = (box) => [...box.querySelectorAll('input:checked')].map((one) => one.value);

function protocolsOf(select, portName) {
  const port = about.ports.find((one) => one.name === portName);
  const fitting = about.protocols.filter((one) => port && one.port_types.includes(port.type)).map((one) => [one.name, one.name]);
  fill(select, fitting, true);
  if (port?.protocol && !select.dataset.touched) select.value = port.protocol;
}

function portChosen() {
  const port = about.ports.find((one) => one.name === $('scan-port').value);
  $('scan-line').hidden = port?.type !== 'COM';
  protocolsOf($('scan-protocol'), $('scan-port').value);
  drawScanOptions();
  $('scan-hint').textContent = port?.type === 'COM' ? t('scanLineHint', port.baud, port.parity) : '';
}

function deviceChosen() {
  const other = !$('device-slave').value;
  $('device-other').hidden = !other;
  protocolsOf($('device-protocol'), $('device-port').value);
  drawDevice();
}

const deviceProtocol = () => about.slaves.find((slave) => slave.name === $('device-slave').value)?.protocol ?? $('device-protocol').value;

// ---- fields of a protocol's own options and addresses

const usual = (portName, protocol) => about.slaves.find((slave) => slave.port === portName && slave.protocol === protocol);

function form(box, place, protocol, schema, mayRest) {
  const whole = Object.values(schema.$defs ?? {}).find((one) => one.properties) ?? schema, known = typedIn[place + protocol] ??= {};
  box.replaceChildren();
  return Object.entries(whole.properties ?? {}).map(([name, one]) => {
    const kind = one.enum || one.type ? one : one.anyOf?.[0] ?? one, label = make('label', '', words(one)[language] ?? name);
    const needed = !mayRest && whole.required?.includes(name), fallback = one.default ?? '';
    let input;
    if (kind.enum || kind.type === 'boolean') {
      input = make('select');
      fill(input, [...(needed ? [] : [['', fallback === '' ? '–' : `– (${fallback})`]]), ...(kind.enum ?? [true, false]).map((value) => [String(value), String(value)])]);
    } else {
      input = make('input'); input.autocomplete = 'off'; input.placeholder = name === 'password' ? '' : fallback;
      if (name === 'password') { input.type = 'password'; input.autocomplete = 'new-password'; }
      if (kind.type === 'integer') { input.inputMode = 'numeric'; if (kind.maximum !== undefined) input.title = `${kind.minimum} … ${kind.maximum}`; }
    }
    if (known[name] !== undefined && (input.tagName !== 'SELECT' || [...input.options].some((option) => option.value === known[name]))) input.value = known[name];
    input.addEventListener('input', () => { known[name] = input.value; });
    label.append(input); box.append(label);
    return { name, label: words(one)[language] ?? name, input };
  });
}

const texted = (fields) => Object.fromEntries(fields.map(({ name, input }) => [name, input.value.trim()]).filter(([, text]) => text));

function drawOptions(place, portName, protocol) {
  const chosen = room(protocol), like = usual(portName, protocol), box = $(place + '-options'), before = box.dataset.of;
  const fields = chosen ? form(box, 'options', protocol, chosen.options, Boolean(like)) : [];
  $(place + '-options-box').hidden = !fields.length;
  box.dataset.of = portName + protocol;
  if (before !== box.dataset.of) $(place + '-options-box').open = !like && Boolean(Object.values(chosen?.options.$defs ?? {}).some((one) => one.required?.length));
  put($(place + '-options-hint'), like ? t('optionsLike', like.title) : '');
  return fields;
}

function drawScanOptions() { scanFields = drawOptions('scan', $('scan-port').value, $('scan-protocol').value); }

function drawDevice() {
  const chosen = room(deviceProtocol()), box = $('device-at');
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

function say(outcome, kind, ...lines) {
  const text = lines.join('\n'), name = 'outcome' + (kind ? ' ' + kind : '');
  put(outcome, text);
  if (outcome.className !== name) outcome.className = name;
}

const broken = (error) => [t('lost'), error.message];

async function doing(button, outcome, work) {
  button.disabled = true; say(outcome, '', t('working'));
  try { await work(); } catch (error) { say(outcome, 'is-bad', ...broken(error)); }
  button.disabled = false;
}

// ---- frames

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
  $('trace-file').href = '/api/tools/trace.txt?port=' + encodeURIComponent(port);
  const { data } = await ask('tools/trace?port=' + encodeURIComponent(port)), text = JSON.stringify(data);
  if (text === lastTrace) return;
  lastTrace = text;
  const box = $('trace'), atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 30;
  box.replaceChildren(...(data.frames ?? []).map((frame) => {
    const row = make('div', 'frame is-' + frame.direction + (frame.error ? ' is-bad' : ''));
    const time = new Date(frame.t_ms).toLocaleTimeString(language, { hour12: false }) + '.' + String(frame.t_ms % 1000).padStart(3, '0');
    row.append(make('span', 'when', time), make('span', 'way', frame.direction === 'request' ? '→' : '←'), make('code', '', frame.hex));
    const says = frame.error ?? (frame.fields ? Object.entries(frame.fields).filter(([name]) => name !== 'direction').map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`).join(' · ') : '');
    if (says) row.append(make('span', 'says', says));
    return row;
  }));
  if (!box.children.length) box.append(make('p', 'hint', t('noFrames')));
  if (atEnd) box.scrollTop = box.scrollHeight;
}

// ---- scan

async function startScan() {
  const com = !$('scan-line').hidden;
  scanRefused = null;
  try {
    const reply = await ask('tools/scan', {
      port: $('scan-port').value, protocol: $('scan-protocol').value, addresses: $('scan-addresses').value.trim(), options: texted(scanFields),
      bauds: com ? ticked($('scan-bauds')).map(Number) : [], parities: com ? ticked($('scan-parities')) : [], timeout_ms: Number($('scan-timeout').value) || 200,
    });
    if (reply.code !== 202) scanRefused = () => refusal(reply);
  } catch (error) { scanRefused = () => broken(error); }
  if (scanRefused) say($('scan-state'), 'is-bad', ...scanRefused());
  await drawScan();
}

async function drawScan() {
  const { data } = await ask('tools/scan'), progress = data.progress;
  $('scan-go').hidden = data.running; $('scan-stop').hidden = !data.running;
  $('scan-progress').hidden = !data.running;
  if (scanRefused) say($('scan-state'), 'is-bad', ...scanRefused());
  else if (data.running) say($('scan-state'), '', t('scanning', progress.address, progress.tried, progress.total) + (data.type === 'COM' && progress.baud ? ` · ${progress.baud} ${progress.parity}` : ''));
  else if (!$('scan-go').disabled) say($('scan-state'), '');
  if (!progress) return;
  $('scan-progress').max = progress.total; $('scan-progress').value = progress.tried;
  put($('scan-last'), data.running ? '' : t('lastScan', data.port, data.protocol));
  const failed = !data.running && data.error ? refusal({ data: { error: { field: 'device', rule: data.error }, code: data.code } }) : [];
  say($('scan-sum'), failed.length ? 'is-bad' : '', ...failed, ...(data.running ? [] : [t('scanned', progress.found.length, progress.tried)]));
  $('scan-found').replaceChildren(...progress.found.map((one) => {
    const row = make('div', 'found' + (one.verdict === 'garbled' ? ' is-warn' : ''));
    row.append(make('strong', '', one.address), make('span', '', one.baud ? `${one.baud} ${one.parity}` : ''), make('span', '', one.verdict === 'garbled' ? t('garbled') : one.identity || t('answers')), make('span', 'hint', one.turnaround_ms + ' ms'));
    return row;
  }));
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

function sure(pairs) {
  facts($('sure-facts'), pairs);
  const dialog = $('sure');
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true }));
}

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
    const agreed = await sure([
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
$('scan-port').addEventListener('change', () => { delete $('scan-protocol').dataset.touched; portChosen(); });
$('scan-protocol').addEventListener('change', () => { $('scan-protocol').dataset.touched = '1'; drawScanOptions(); });
$('scan-go').addEventListener('click', () => doing($('scan-go'), $('scan-state'), startScan));
$('scan-stop').addEventListener('click', () => ask('tools/scan/stop', {}));
$('device-slave').addEventListener('change', deviceChosen);
$('device-port').addEventListener('change', () => { delete $('device-protocol').dataset.touched; deviceChosen(); });
$('device-protocol').addEventListener('change', () => { $('device-protocol').dataset.touched = '1'; drawDevice(); });
$('raw-go').addEventListener('click', () => doing($('raw-go'), $('once-state'), readRaw));
$('once-read').addEventListener('click', () => doing($('once-read'), $('once-state'), () => once('read')));
$('once-write').addEventListener('click', () => doing($('once-write'), $('once-state'), () => once('write')));
for (const [id, word] of [['sure-go', 'yes'], ['sure-cancel', '']]) $(id).addEventListener('click', () => $('sure').close(word));
