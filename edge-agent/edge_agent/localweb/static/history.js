'use strict';
// What the gateway keeps itself: chosen points, a range, a chart, a table, a file; and the way to the cloud once more.
const RANGES = [['1h', 3600e3], ['6h', 6 * 3600e3], ['24h', 24 * 3600e3], ['7d', 7 * 86400e3], ['30d', 30 * 86400e3]];
const MOST_CHOSEN = 4, MOST_OFFERED = 40, MOST_ROWS = 500, RESEND_MS = 1000;
let storedPoints = [], chosen = [], range = kept('range') || '6h', spanMs = [0, 0], asked = 0, resendTimer = 0, lastSeries = [];

const nameOf = (one) => `${one.slave}.${one.point}`;
const liveOf = (one) => points.find((point) => point.slave === one.slave && point.name === one.point);
// The slave's title stands before the point's only where there are several slaves to tell apart.
const titleOf = (one, among = storedPoints) => { const point = liveOf(one); return !point ? nameOf(one) : new Set(among.map((other) => other.slave)).size > 1 ? `${point.slaveTitle} · ${point.title}` : point.title; };

// The first measured number of the first slave that has anything stored.
function usualPoint() {
  const stored = new Set(storedPoints.map(nameOf)), there = slaves.flatMap((slave) => points.filter((point) => point.slave === slave.name && stored.has(`${point.slave}.${point.name}`)));
  const first = there.filter((point) => point.slave === there[0].slave), found = first.find((point) => point.kind === 'num' && point.rw === 'readonly') ?? there.find((point) => point.kind === 'num' && point.rw === 'readonly') ?? there[0];
  return found ? `${found.slave}.${found.name}` : nameOf(storedPoints[0]);
}

async function openHistory() {
  const { code, data } = await ask('history/points');
  const none = code !== 200 || !data.state;
  $('history-none').hidden = !none; $('history-body').hidden = none;
  if (none) {
    put($('history-none').firstChild, t('noHistory', t('storageCycle')));
    put($('history-none').querySelector('pre'), `[[slaves]]\nname = "${slaves[0]?.name ?? '…'}"\nstorage_cycle_s = 60`);
    return;
  }
  storedPoints = data.points;
  chosen = chosen.filter((name) => storedPoints.some((one) => nameOf(one) === name));
  if (!chosen.length && storedPoints.length) chosen = [usualPoint()];
  fill($('resend-slave'), [['', t('allSlaves')], ...slaves.filter((slave) => storedPoints.some((one) => one.slave === slave.name)).map((slave) => [slave.name, slave.title || slave.name])], true);
  offerPoints(); offerRanges(); drawStorage(data.state); await loadHistory();
}

function offerPoints() {
  const words = $('history-search').value.trim().toLowerCase();
  const fitting = storedPoints.filter((one) => chosen.includes(nameOf(one)) || `${titleOf(one)} ${nameOf(one)}`.toLowerCase().includes(words));
  fitting.sort((one, other) => Number(chosen.includes(nameOf(other))) - Number(chosen.includes(nameOf(one))));
  const full = chosen.length >= MOST_CHOSEN;
  $('history-points').replaceChildren(...fitting.slice(0, MOST_OFFERED).map((one) => {
    const label = make('label', 'check'), box = make('input'), name = nameOf(one);
    box.type = 'checkbox'; box.checked = chosen.includes(name); box.disabled = full && !box.checked;
    box.addEventListener('change', () => { chosen = box.checked ? [...chosen, name] : chosen.filter((other) => other !== name); offerPoints(); loadHistory(); });
    label.append(box, make('span', '', titleOf(one)));
    return label;
  }));
  if (fitting.length > MOST_OFFERED) $('history-points').append(make('span', 'hint', t('more', fitting.length - MOST_OFFERED)));
}

function offerRanges() {
  const choice = (name, text) => { const button = press(text, 'quiet' + (range === name ? ' is-on' : ''), () => chooseRange(name)); button.setAttribute('aria-pressed', String(range === name)); return button; };
  const move = (share, sign, key) => { const button = press(sign, 'quiet', () => { const by = (spanMs[1] - spanMs[0]) * share; custom(spanMs[0] + by, spanMs[1] + by); }); button.setAttribute('aria-label', t(key)); button.title = t(key); return button; };
  $('ranges').replaceChildren(move(-0.5, '←', 'earlier'), ...RANGES.map(([name]) => choice(name, t('r' + name))), choice('custom', t('custom')), move(0.5, '→', 'later'));
  $('history-custom').hidden = range !== 'custom';
}

function chooseRange(name) {
  range = name;
  if (name !== 'custom') kept('range', name);
  else localTimes();
  offerRanges(); loadHistory();
}

function localTimes() {
  const local = (ms) => new Date(ms - new Date(ms).getTimezoneOffset() * 60000).toISOString().slice(0, 19);
  $('history-from').value = local(spanMs[0]); $('history-to').value = local(spanMs[1]);
}

function custom(from, to) { spanMs = [Math.max(0, Math.round(from)), Math.round(to)]; range = 'custom'; localTimes(); offerRanges(); loadHistory(); }

async function loadHistory() {
  const length = Object.fromEntries(RANGES)[range], now = serverMs || Date.now(), mine = asked += 1;
  if (length) spanMs = [now - length, now];
  const [from, to] = spanMs, width = Math.min(Math.max($('chart').clientWidth, 200), 2000), link = $('history-csv');
  const wantedPoints = storedPoints.filter((one) => chosen.includes(nameOf(one)));
  link.hidden = !wantedPoints.length;
  link.href = `api/history/samples.csv?${wantedPoints.map((one) => 'point=' + encodeURIComponent(nameOf(one))).join('&')}&from_ms=${from}&to_ms=${to}`;
  say($('history-state'), '', wantedPoints.length ? t('loading') : t('chooseFirst'));
  try {
    const replies = await Promise.all(wantedPoints.map((one) => ask(`history?point=${encodeURIComponent(nameOf(one))}&from_ms=${from}&to_ms=${to}&pixels=${width}`)));
    if (mine !== asked) return;
    const bad = replies.find((reply) => reply.code !== 200);
    if (bad) { say($('history-state'), 'is-bad', ...refusal(bad)); return; }
    lastSeries = replies.map(({ data }, index) => ({ ...data, title: titleOf(wantedPoints[index], wantedPoints), name: nameOf(wantedPoints[index]), point: liveOf(wantedPoints[index]) }));
    const samples = lastSeries.reduce((sum, one) => sum + one.samples, 0);
    say($('history-state'), '', samples ? t('samples', samples.toLocaleString(language)) + (lastSeries.some((one) => one.reduced) ? ' · ' + t('reduced') : '') : t('nothingStored'));
    await drawChart(lastSeries, from, to, custom);
    drawTable();
  } catch (error) { if (mine === asked && signedIn) say($('history-state'), 'is-bad', ...broken(error)); }
}

function drawTable() {
  const lines = lastSeries.flatMap((one) => one.values.map(([ms, value, quality]) => [ms, one, value, quality])).sort((one, other) => other[0] - one[0]);
  $('history-table-box').hidden = !lines.length;
  table($('history-table'), [t('time'), t('point'), t('rawValue'), t('quality')], lines.slice(0, MOST_ROWS).map(([ms, one, value, quality]) => [moment(ms), one.title, shown(one.point ?? {}, value) + (one.point?.unit ? ' ' + one.point.unit : ''), t('q' + quality)]));
}

function drawStorage(state) {
  const usage = state.usage;
  facts($('storage'), [
    ...(state.problem ? [[t('state'), state.problem, 'is-bad']] : []),
    [t('medium'), t(state.type === 'memory' ? 'inMemory' : state.medium === 'external' ? 'external' : 'internal')], [t('retention'), t('d', state.retention_days)],
    ...(usage ? [[t('used'), `${bytes(usage.used_bytes)} / ${bytes(usage.capacity_bytes)}`], [t('storedSamples'), usage.samples.toLocaleString(language)], [t('oldest'), moment(usage.oldest_ms)], [t('evictedSamples'), usage.evicted_samples, usage.evicted_samples ? 'is-warn' : '']] : []),
    ...(state.days_that_fit ? [[t('fits'), t('d', Math.round(state.days_that_fit)), state.days_that_fit < state.retention_days ? 'is-warn' : '']] : []),
    [t('waiting'), state.waiting_samples], ...(state.lost_samples ? [[t('dropped'), state.lost_samples, 'is-bad']] : []),
  ]);
  const { samples, sent, running, problem } = state.resend;
  $('resend-go').disabled = running; $('resend-progress').hidden = !running;
  $('resend-progress').max = Math.max(samples, 1); $('resend-progress').value = sent;
  if (running || samples) say($('resend-state'), problem ? 'is-warn' : running ? '' : 'is-good', t(running ? 'resending' : 'resent', sent.toLocaleString(language), samples.toLocaleString(language)), ...(problem ? [problem] : []));
  clearTimeout(resendTimer);
  if (running && tab === 'history' && signedIn) resendTimer = setTimeout(async () => { try { drawStorage((await ask('history/points')).data.state); } catch { /* the page says that the connection is lost */ } }, RESEND_MS);
}

async function resend() {
  const slave = $('resend-slave').value, [from, to] = spanMs;
  const agreed = await sure(t('sendAgain'), t('sendAgain'), [[t('slave'), slave || t('allSlaves')], [t('from'), moment(from)], [t('to'), moment(to)]]);
  if (!agreed) { say($('resend-state'), ''); return; }
  const reply = await ask('history/resend', { from_ms: from, to_ms: to, slave: slave || null });
  if (reply.code !== 202) { say($('resend-state'), 'is-bad', ...refusal(reply)); return; }
  if (!reply.data.samples) { say($('resend-state'), '', t('nothingStored')); return; }
  drawStorage((await ask('history/points')).data.state);
}

// To the first slave of the configuration, where the storage cycle is set.
async function configureHistory() {
  await choose('config');
  const line = lineOf('slaves[0].name', '', $('draft-text').value);
  if (line < 0) return;
  $('draft-text').scrollIntoView({ block: 'center' });
  goTo(line);
}

$('history-configure').addEventListener('click', configureHistory);
$('history-search').addEventListener('input', offerPoints);
$('resend-go').addEventListener('click', () => doing($('resend-go'), $('resend-state'), resend));
for (const id of ['history-from', 'history-to']) $(id).addEventListener('change', () => {
  const [from, to] = [$('history-from').value, $('history-to').value].map((text) => new Date(text).getTime());
  if (from < to) { spanMs = [from, to]; loadHistory(); } else say($('history-state'), 'is-bad', t('fromBeforeTo'));
});
