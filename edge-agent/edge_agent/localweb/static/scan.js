'use strict';
// Looking for devices on a port.
const BAUDS = [1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200], PARITIES = ['N', 'E', 'O'];
let scanFields = [], scanRefused = null;

function tick(value, checked) {
  const label = make('label', 'check'), box = make('input');
  box.type = 'checkbox'; box.value = value; box.checked = checked;
  label.append(box, make('span', '', String(value)));
  return label;
}

const ticked = (box) => [...box.querySelectorAll('input:checked')].map((one) => one.value);

function portChosen() {
  const port = about.ports.find((one) => one.name === $('scan-port').value);
  $('scan-line').hidden = port?.type !== 'COM';
  protocolsOf($('scan-protocol'), $('scan-port').value);
  drawScanOptions();
  tickUsual();
  $('scan-hint').textContent = port?.type === 'COM' ? t('scanLineHint', port.baud, port.parity) : '';
}

// Beside the port's own setting, what devices of the protocol are delivered with is tried.
function tickUsual() {
  const port = about.ports.find((one) => one.name === $('scan-port').value), usual = protocolOf($('scan-protocol').value)?.connection.serial;
  const asSet = !usual || port?.type !== 'COM' || port.protocol === $('scan-protocol').value || (usual.baud === port.baud && usual.parity === port.parity);
  for (const [box, own] of [['scan-bauds', 'baud'], ['scan-parities', 'parity']]) {
    const wanted = asSet ? [] : [String(port[own]), String(usual[own])];
    for (const one of $(box).querySelectorAll('input')) one.checked = wanted.includes(one.value);
  }
}

function drawScanOptions() { scanFields = drawOptions('scan', $('scan-port').value, $('scan-protocol').value); }

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

$('scan-port').addEventListener('change', () => { delete $('scan-protocol').dataset.touched; portChosen(); });
$('scan-protocol').addEventListener('change', () => { $('scan-protocol').dataset.touched = '1'; drawScanOptions(); tickUsual(); });
$('scan-go').addEventListener('click', () => doing($('scan-go'), $('scan-state'), startScan));
$('scan-stop').addEventListener('click', () => ask('tools/scan/stop', {}));
