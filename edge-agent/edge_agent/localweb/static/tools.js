'use strict';
// The commissioning tools: frames of a port, scan, memory as it lies, one read, one write.
const TRACE_MS = 1000, SCAN_MS = 500, DATA_TYPES = ['uint16', 'int16', 'uint32', 'int32', 'float', 'uint64', 'int64', 'double', 'uint8', 'int8', 'string'];
const BAUDS = [1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200], PARITIES = ['N', 'E', 'O'];
let about = null, following = true, toolTimer = 0, lastTrace = '', addressFields = [];

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
  fill($('once-type'), DATA_TYPES.map((name) => [name, name]), true);
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
  $('scan-hint').textContent = port?.type === 'COM' ? t('scanLineHint', port.baud, port.parity) : '';
}

function deviceChosen() {
  const other = !$('device-slave').value;
  $('device-other').hidden = !other;
  protocolsOf($('device-protocol'), $('device-port').value);
  drawAddress();
}

const deviceProtocol = () => about.slaves.find((slave) => slave.name === $('device-slave').value)?.protocol ?? $('device-protocol').value;

function drawAddress() {
  const chosen = room(deviceProtocol()), box = $('device-at'), before = Object.fromEntries(addressFields.map((one) => [one.name, one.input.value]));
  addressFields = []; box.replaceChildren();
  if (!chosen) return;
  const form = Object.values(chosen.schema.$defs ?? {}).find((one) => one.properties) ?? chosen.schema;
  for (const [name, whole] of Object.entries(form.properties ?? {})) {
    const schema = whole.anyOf?.[0] ?? whole, label = make('label', '', words(whole)[language] ?? name);
    let input;
    if (schema.enum || schema.type === 'boolean') {
      input = make('select');
      const required = form.required?.includes(name), values = schema.enum ?? ['true', 'false'];
      fill(input, [...(required ? [] : [['', '–']]), ...values.map((value) => [String(value), String(value)])]);
    } else {
      input = make('input'); input.autocomplete = 'off';
      if (schema.type === 'integer') input.inputMode = 'numeric';
      if (name === 'item' && chosen.items.length) {
        const list = make('datalist'); list.id = 'items';
        for (const item of chosen.items) { const option = make('option', '', item[language]); option.value = item.item; list.append(option); }
        input.setAttribute('list', 'items'); box.append(list);
      }
    }
    if (before[name]) input.value = before[name];
    label.append(input); box.append(label);
    addressFields.push({ name, input, integer: schema.type === 'integer', boolean: schema.type === 'boolean' });
  }
  $('raw-box').hidden = !chosen.raw;
}

function at() {
  const table = {};
  for (const { name, input, integer, boolean } of addressFields) {
    const text = input.value.trim();
    if (text) table[name] = boolean ? text === 'true' : integer && /^-?\d+$/.test(text) ? Number(text) : text;
  }
  return table;
}

function device() {
  const slave = $('device-slave').value;
  return slave ? { slave } : { port: $('device-port').value, protocol: $('device-protocol').value, address: $('device-address').value.trim() };
}

const brief = (value) => Math.abs(value) >= 1e15 || (value && Math.abs(value) < 1e-6) ? value.toExponential(4) : Number.isInteger(value) ? value : Number(value.toPrecision(7));

const fault = (reply) => reply.data.error ? `${reply.data.error.field}: ${reply.data.error.rule}` : String(reply.code);

async function doing(button, outcome, work) {
  button.disabled = true; outcome.className = 'outcome'; put(outcome, t('working'));
  try { await work(); } catch (error) { outcome.className = 'outcome is-bad'; put(outcome, error.message); }
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
  const outcome = $('scan-state');
  outcome.className = 'outcome';
  const com = !$('scan-line').hidden;
  const reply = await ask('tools/scan', {
    port: $('scan-port').value, protocol: $('scan-protocol').value, addresses: $('scan-addresses').value.trim(),
    bauds: com ? ticked($('scan-bauds')).map(Number) : [], parities: com ? ticked($('scan-parities')) : [], timeout_ms: Number($('scan-timeout').value) || 200,
  });
  if (reply.code !== 202) { outcome.className = 'outcome is-bad'; put(outcome, fault(reply)); return; }
  await drawScan();
}

async function drawScan() {
  const { data } = await ask('tools/scan'), progress = data.progress;
  $('scan-go').hidden = data.running; $('scan-stop').hidden = !data.running;
  if (!progress) return;
  $('scan-progress').hidden = !data.running; $('scan-progress').max = progress.total; $('scan-progress').value = progress.tried;
  $('scan-state').className = 'outcome' + (data.error ? ' is-bad' : '');
  const line = progress.baud && !$('scan-line').hidden ? ` · ${progress.baud} ${progress.parity}` : '';
  put($('scan-state'), data.error || (data.running ? t('scanning', progress.address, progress.tried, progress.total) + line : t('scanned', progress.found.length, progress.tried)));
  $('scan-found').replaceChildren(...progress.found.map((one) => {
    const row = make('div', 'found' + (one.verdict === 'garbled' ? ' is-warn' : ''));
    row.append(make('strong', '', one.address), make('span', '', $('scan-line').hidden ? '' : `${one.baud} ${one.parity}`), make('span', '', one.verdict === 'garbled' ? t('garbled') : one.identity || t('answers')), make('span', 'hint', one.turnaround_ms + ' ms'));
    return row;
  }));
}

// ---- once

async function readRaw() {
  const expected = $('raw-expected').value.trim().replace(',', '.');
  const reply = await ask('tools/raw', { device: device(), at: at(), count: Number($('raw-count').value) || 4, expected: expected === '' ? null : Number(expected) });
  const outcome = $('once-state');
  $('raw-table').replaceChildren();
  if (reply.code !== 200) { outcome.className = 'outcome is-bad'; put(outcome, fault(reply)); return; }
  put(outcome, `${reply.data.data} (${reply.data.took_ms} ms)`); outcome.className = 'outcome is-good mono';
  const head = make('tr');
  for (const name of ['rawAt', 'rawType', 'rawOrder', 'rawValue', 'rawRatio']) head.append(make('th', '', t(name)));
  $('raw-table').append(head, ...reply.data.readings.map((one) => {
    const row = make('tr', one.ratio === null ? '' : 'is-good');
    for (const text of [one.at, one.data_type, one.order, brief(one.value), one.ratio ?? '']) row.append(make('td', '', String(text)));
    return row;
  }));
}

async function once(path) {
  const type = $('once-type').value, table = { type: type === 'string' ? 'str' : 'num', data_type: type, address: at() }, body = { device: device(), point: table };
  if (path === 'write') {
    const text = $('once-value').value.trim(), number = Number(text.replace(',', '.'));
    if (!text || (type !== 'string' && !Number.isFinite(number))) throw new Error(t('needValue'));
    body.value = type === 'string' ? text : number;
    if (!window.confirm(t('confirmText', text))) { put($('once-state'), ''); return; }
  }
  const reply = await ask('tools/' + path, body), outcome = $('once-state');
  if (reply.code !== 200) { outcome.className = 'outcome is-bad'; put(outcome, fault(reply)); return; }
  const { value, raw, took_ms: took, same, quality } = reply.data;
  outcome.className = 'outcome ' + (quality === 0 && same ? 'is-good' : 'is-bad');
  put(outcome, `${value ?? '–'} · ${t('rawIs', raw ?? '–')} · ${took} ms · ${t('q' + quality)}${same ? '' : ' · ' + t('c_mismatch')}`);
}

$('trace-port').addEventListener('change', () => { lastTrace = ''; drawTrace(); });
$('trace-follow').addEventListener('change', () => { following = $('trace-follow').checked; followTools(); });
$('scan-port').addEventListener('change', () => { delete $('scan-protocol').dataset.touched; portChosen(); });
$('scan-protocol').addEventListener('change', () => { $('scan-protocol').dataset.touched = '1'; });
$('scan-go').addEventListener('click', () => doing($('scan-go'), $('scan-state'), startScan));
$('scan-stop').addEventListener('click', () => ask('tools/scan/stop', {}));
$('device-slave').addEventListener('change', deviceChosen);
$('device-port').addEventListener('change', () => { delete $('device-protocol').dataset.touched; deviceChosen(); });
$('device-protocol').addEventListener('change', () => { $('device-protocol').dataset.touched = '1'; drawAddress(); });
$('raw-go').addEventListener('click', () => doing($('raw-go'), $('once-state'), readRaw));
$('once-read').addEventListener('click', () => doing($('once-read'), $('once-state'), () => { $('raw-table').replaceChildren(); return once('read'); }));
$('once-write').addEventListener('click', () => doing($('once-write'), $('once-state'), () => { $('raw-table').replaceChildren(); return once('write'); }));
