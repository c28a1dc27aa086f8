'use strict';
const TABS = ['values', 'bus', 'link', 'tools'];
const $ = (id) => document.getElementById(id);
const kept = (key, value) => { try { if (value === undefined) return localStorage.getItem(key); localStorage.setItem(key, value); } catch { /* private mode */ } return null; };
const REFRESH_MS = 1000, TIMEOUT_MS = 8000;
let language = kept('language') || (navigator.language.startsWith('en') ? 'en' : 'zh');
let theme = kept('theme') || 'auto';
let tab = kept('tab') || 'values', signedIn = false, timer = 0;
let rows = new Map(), groups = new Map(), points = [], status = null, values = new Map(), serverMs = 0;
let writing = null;

const t = (key, ...parts) => (TEXTS[language][key] ?? key).replace(/\{(\d)\}/g, (_, n) => parts[n]);

function make(kind, className, text) {
  const node = document.createElement(kind);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function put(node, text) { if (node.textContent !== text) node.textContent = text; }

async function ask(path, body) {
  const options = { signal: AbortSignal.timeout(body === undefined ? TIMEOUT_MS : 70000), credentials: 'same-origin' };
  if (body !== undefined) Object.assign(options, { method: 'POST', headers: { 'X-Edge': '1', 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  const reply = await fetch('/api/' + path, options);
  const data = await reply.json();
  if (reply.status === 401 && path !== 'login') { show(false, signedIn ? t('expired') : ''); throw new Error('signed out'); }
  return { code: reply.status, data };
}

// ---- words and numbers

function span(seconds) {
  if (seconds < 100) return t('s', Math.max(0, Math.round(seconds)));
  if (seconds < 6000) return t('min', Math.round(seconds / 60));
  if (seconds < 172800) return t('h', Math.round(seconds / 3600));
  return t('d', Math.round(seconds / 86400));
}

const ago = (ms) => ms ? t('ago', span((serverMs - ms) / 1000)) : t('never');
const moment = (ms) => ms ? new Date(ms).toLocaleString(language) : t('never');

const selection = (point, value) => typeof value === 'number' && Object.entries(point.selector ?? {}).find(([text]) => Number(text) === value);

function shown(point, value) {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'boolean' || point.kind === 'swh') return t(value ? 'on' : 'off');
  const named = selection(point, value);
  if (named) return named[1];
  if (typeof value === 'number' && point.decimals !== undefined) return value.toFixed(point.decimals);
  if (typeof value === 'number' && !Number.isInteger(value)) return String(Number(value.toPrecision(7)));
  return String(value);
}

const bytes = (n) => n < 1e6 ? (n / 1e3).toFixed(1) + ' kB' : (n / 1e6).toFixed(1) + ' MB';

// ---- frame: language, theme, tabs, sign-in

function texts() {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  for (const node of document.querySelectorAll('[data-text]')) put(node, t(node.dataset.text));
  $('language').textContent = t('language');
  $('language').title = t('languageHint');
  $('search').placeholder = t('search');
  $('search').setAttribute('aria-label', t('search'));
  themed();
  for (const node of document.querySelectorAll('[data-label]')) node.setAttribute('aria-label', t(node.dataset.label));
  if (signedIn) { build(); draw(); if (tab === 'tools') openTools(); }
}

function themed() {
  if (theme === 'auto') delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = theme;
  const word = t({ auto: 'themeAuto', light: 'themeLight', dark: 'themeDark' }[theme]);
  put($('theme').firstChild, { auto: '◐', light: '☀', dark: '☾' }[theme]);
  put($('theme').lastChild, ' ' + word);
  $('theme').title = `${t('theme')}: ${word}`;
  $('theme').setAttribute('aria-label', $('theme').title);
}

function choose(name) {
  tab = name;
  for (const part of TABS) {
    $(part).hidden = part !== name;
    $('tab-' + part).setAttribute('aria-selected', String(part === name));
    $('tab-' + part).tabIndex = part === name ? 0 : -1;
  }
  kept('tab', name);
  if (name === 'tools') openTools(); else draw();
}

function show(inside, message) {
  signedIn = inside;
  $('login').hidden = inside;
  $('signed-in').hidden = $('logout').hidden = $('chip').hidden = !inside;
  if (!inside) { clearTimeout(timer); $('write').close(); $('sure').close(''); put($('login-error'), message || ''); $('password').value = ''; $('password').focus(); }
}

async function enter() {
  show(true);
  const { data } = await ask('points');
  points = data.points.map((point) => ({ ...point, slaveTitle: data.slaves.find((slave) => slave.name === point.slave)?.title ?? point.slave }));
  build();
  choose(tab);
  refresh();
}

// ---- live values

function build() {
  rows = new Map(); groups = new Map();
  $('groups').replaceChildren();
  if (!points.length) $('groups').append(make('p', 'hint', t('noPoints')));
  for (const point of points) {
    let group = groups.get(point.slave);
    if (!group) {
      const card = make('div', 'card group'), head = make('h2', '', point.slaveTitle), chip = make('span', 'chip');
      head.append(chip); card.append(head); $('groups').append(card);
      groups.set(point.slave, group = { card, chip, rows: [] });
    }
    const node = make('div', 'point'), value = make('div', 'value'), number = make('span'), unit = make('small', '', point.unit ? ' ' + point.unit : '');
    const quality = make('div', 'quality'), side = make('div', 'side'), age = make('span', 'age');
    const title = make('div', 'name', point.title); title.title = point.slave + '.' + point.name;
    value.append(number, unit); side.append(age);
    if (point.rw !== 'readonly') {
      const button = make('button', 'quiet', t('write'));
      button.type = 'button'; button.setAttribute('aria-label', t('write') + ' ' + point.title);
      button.addEventListener('click', () => openWrite(point));
      side.append(button);
    }
    node.append(title, value, quality, side);
    group.card.append(node);
    const row = { point, node, number, value, quality, age, search: (point.title + ' ' + point.name + ' ' + point.slaveTitle).toLowerCase() };
    rows.set(point.id, row); group.rows.push(row);
  }
}

function drawValues() {
  const words = $('search').value.trim().toLowerCase(), abnormal = $('abnormal').checked;
  let visible = 0;
  for (const [name, group] of groups) {
    let any = false;
    for (const row of group.rows) {
      const sample = values.get(row.point.id), [, ms, value, q] = sample ?? [0, 0, null, 1];
      const old = sample && row.point.period_ms && serverMs - ms > 3 * row.point.period_ms + 2000;
      const kind = q !== 0 && q !== 8 ? 'is-bad' : old || q === 8 ? 'is-warn' : '';
      row.node.className = 'point ' + kind;
      const text = shown(row.point, value);
      if (row.number.textContent !== text) {
        if (row.number.textContent) { row.value.classList.add('changed'); setTimeout(() => row.value.classList.remove('changed'), 150); }
        row.number.textContent = text;
      }
      put(row.quality, q === 0 && old ? t('q2') : t('q' + q));
      put(row.age, sample ? ago(ms) : '');
      row.node.hidden = (words && !row.search.includes(words)) || (abnormal && !kind);
      if (!row.node.hidden) { any = true; visible += 1; }
    }
    group.card.hidden = !any;
    const slave = status?.slaves.find((item) => item.slave === name);
    group.chip.className = 'chip ' + (!slave || slave.online ? '' : 'is-bad');
    put(group.chip, slave ? t(slave.online ? 'online' : 'offline') : '');
  }
  put($('count'), t('count', visible, points.length));
}

// ---- ports, slaves, link

function facts(node, pairs) {
  while (node.children.length > pairs.length * 2) node.lastChild.remove();
  while (node.children.length < pairs.length * 2) node.append(make(node.children.length % 2 ? 'dd' : 'dt'));
  pairs.forEach(([name, text, kind], index) => {
    put(node.children[2 * index], name);
    put(node.children[2 * index + 1], String(text));
    node.children[2 * index + 1].className = kind || '';
  });
}

function cards(box, items, describe) {
  while (box.children.length > items.length) box.lastChild.remove();
  while (box.children.length < items.length) {
    const card = make('div', 'card'), head = make('div', 'head');
    head.append(make('span'), make('span', 'chip')); card.append(head, make('dl', 'facts')); box.append(card);
  }
  items.forEach((item, index) => {
    const [title, word, kind, pairs] = describe(item), card = box.children[index];
    put(card.firstChild.firstChild, title);
    put(card.firstChild.lastChild, word);
    card.firstChild.lastChild.className = 'chip ' + kind;
    facts(card.lastChild, pairs);
  });
}

function drawBus() {
  cards($('ports'), status.ports, (port) => [
    port.name + ' · ' + port.where,
    t(!port.enable ? 'disabled' : port.open ? 'open' : 'closed'), !port.enable ? '' : port.open ? 'is-good' : 'is-bad',
    [[t('requests'), port.requests], [t('failures'), port.failures], [t('busy'), port.busy_percent + ' %'], ...(port.last_error ? [[t('lastError'), port.last_error]] : [])],
  ]);
  cards($('slaves'), status.slaves, (slave) => {
    const title = points.find((point) => point.slave === slave.slave)?.slaveTitle ?? slave.slave;
    return [title, t(slave.online ? 'online' : 'offline'), slave.online ? 'is-good' : 'is-bad',
      [[t('lastGood'), ago(slave.last_good_ms)], ...(slave.online ? [] : [[t('reason'), TEXTS[language]['c_' + slave.reason] ?? slave.reason, 'is-bad']]), [t('reads'), slave.reads], [t('failures'), slave.failures], [t('turnaround'), slave.turnaround_ms.toFixed(1) + ' ms']]];
  });
}

function linkWord() {
  const link = status.link;
  if (!link.enabled) return ['noCloud', ''];
  if (link.accepted) return ['connected', 'is-good'];
  if (link.refusal) return ['refused', 'is-bad'];
  return link.connected ? ['accepting', 'is-warn'] : ['notConnected', 'is-bad'];
}

function drawLink() {
  const { link, outbox, gateway } = status, [word, kind] = linkWord();
  facts($('cloud'), [
    [t('state'), t(word), kind === 'is-good' ? '' : kind], [t('since'), moment(link.since_ms)], ...(link.reason ? [[t('reason'), link.reason, kind]] : []),
    [t('lastAck'), ago(link.last_ack_ms)], [t('inFlight'), link.in_flight], [t('acknowledged'), link.acknowledged_batches],
    ...(link.bad_messages ? [[t('badMessages'), link.bad_messages, 'is-warn']] : []),
  ]);
  const hours = outbox.hours_left;
  facts($('outbox'), [
    [t('depth'), outbox.batches], [t('size'), bytes(outbox.payload_bytes)],
    [t('hoursLeft'), hours === null || hours === undefined ? t('notFilling') : t('hours', hours < 10 ? hours.toFixed(1) : Math.round(hours)), hours !== null && hours < 24 ? 'is-warn' : ''],
    [t('evicted'), outbox.evicted_batches, outbox.evicted_batches ? 'is-bad' : ''], [t('pending'), outbox.pending_samples],
    ...(outbox.dropped_samples ? [[t('dropped'), outbox.dropped_samples, 'is-bad']] : []), ...(outbox.full ? [[t('state'), t('mediumFull'), 'is-bad']] : []),
    [t('stream'), outbox.stream],
  ]);
  facts($('gateway'), [
    [t('id'), gateway.id], [t('agent'), gateway.agent], [t('uptime'), span(gateway.uptime_s)], [t('memory'), gateway.memory_mb + ' MB'],
    [t('clock'), gateway.clock_set ? moment(gateway.t_ms) : t('clockUnset'), gateway.clock_set ? '' : 'is-bad'],
  ]);
}

function draw() {
  if (!signedIn || !status) return;
  const [word, kind] = linkWord();
  put($('chip'), t(word)); $('chip').className = 'chip ' + kind;
  put($('title'), status.gateway.title || status.gateway.id);
  document.title = status.gateway.title || status.gateway.id;
  if (tab === 'values') drawValues(); else if (tab === 'bus') drawBus(); else if (tab === 'link') drawLink();
}

async function refresh() {
  clearTimeout(timer);
  try {
    const [live, state] = await Promise.all([ask('live'), ask('status')]);
    serverMs = live.data.t_ms;
    values = new Map(live.data.values.map((row) => [row[0], row]));
    status = state.data;
    $('lost').hidden = true;
    draw();
  } catch (error) {
    if (!signedIn) { $('lost').hidden = true; return; }
    $('lost').hidden = false;
    put($('chip'), t('noContact')); $('chip').className = 'chip is-gone';
  }
  timer = setTimeout(refresh, document.hidden ? 10 * REFRESH_MS : REFRESH_MS);
}

// ---- writing: enter, confirm, outcome

function openWrite(point) {
  writing = { point, step: 'enter', value: null };
  const current = values.get(point.id);
  put($('write-title'), point.title);
  put($('write-now'), t('now', shown(point, current?.[2]) + ' ' + (point.unit ?? '')) + (point.min !== undefined || point.max !== undefined ? ' · ' + t('range', point.min ?? '–', point.max ?? '–') : ''));
  const label = make('label', '', t('newValue'));
  let input;
  if (point.selector) {
    input = make('select');
    for (const [value, word] of Object.entries(point.selector)) { const option = make('option', '', word); option.value = value; input.append(option); }
    input.value = selection(point, current?.[2])?.[0] ?? Object.keys(point.selector)[0];
  } else if (point.kind === 'swh') {
    input = make('select');
    for (const [value, word] of [['1', 'on'], ['0', 'off']]) { const option = make('option', '', t(word)); option.value = value; input.append(option); }
    input.value = current?.[2] ? '0' : '1';
  } else {
    input = make('input');
    input.inputMode = point.kind === 'num' ? 'decimal' : 'text';
    input.autocomplete = 'off';
  }
  label.append(input);
  $('write-input').replaceChildren(label);
  writing.input = input;
  step('enter', '');
  $('write').showModal();
  input.focus();
}

function step(name, text, kind) {
  writing.step = name;
  put($('write-state'), text); $('write-state').className = kind || '';
  $('write-input').hidden = name !== 'enter';
  put($('write-go'), t({ enter: 'next', confirm: 'confirm', busy: 'writing', done: 'close' }[name]));
  $('write-go').disabled = name === 'busy';
  $('write-cancel').hidden = name === 'done' || name === 'busy';
}

function entered() {
  const { point, input } = writing, text = input.value.trim();
  if (point.kind === 'swh') return text === '1';
  if (point.kind !== 'num') return text || null;
  const number = Number(text.replace(',', '.'));
  if (!text || !Number.isFinite(number) || (point.min !== undefined && number < point.min) || (point.max !== undefined && number > point.max)) return null;
  return number;
}

async function advance() {
  const { point } = writing;
  if (writing.step === 'enter') {
    writing.value = entered();
    if (writing.value === null) return step('enter', t('needValue'), 'is-bad');
    return step('confirm', t('confirmText', shown(point.kind === 'num' && !point.selector ? { kind: 'num' } : point, writing.value) + ' ' + (point.unit ?? '')));
  }
  if (writing.step === 'done') return $('write').close();
  step('busy', t('writing'));
  try {
    const { code, data } = await ask('write', { slave: point.slave, point: point.name, value: writing.value });
    if (code === 200 && data.state === 'resp') step('done', t('done', shown(point, data.value) + ' ' + (point.unit ?? ''), data.latency_ms ?? 0), 'is-good');
    else step('done', t('failed', TEXTS[language]['c_' + data.code] ?? data.detail ?? data.code ?? data.error?.rule ?? code), 'is-bad');
  } catch (error) {
    step('done', t('failed', error.message), 'is-bad');
  }
}

// ---- begin

$('language').addEventListener('click', () => { language = language === 'zh' ? 'en' : 'zh'; kept('language', language); texts(); });
$('theme').addEventListener('click', () => { theme = { auto: 'light', light: 'dark', dark: 'auto' }[theme]; kept('theme', theme); themed(); });
$('logout').addEventListener('click', async () => { await ask('logout', {}); show(false); });
$('search').addEventListener('input', draw);
$('abnormal').addEventListener('change', draw);
$('write-go').addEventListener('click', advance);
$('write-cancel').addEventListener('click', () => $('write').close());
$('write').querySelector('form').addEventListener('submit', (event) => { event.preventDefault(); if (writing.step !== 'busy') advance(); });
$('write').addEventListener('cancel', (event) => { if (writing?.step === 'busy') event.preventDefault(); });
for (const part of TABS) {
  $('tab-' + part).addEventListener('click', () => choose(part));
  $('tab-' + part).addEventListener('keydown', (event) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (move) { const next = TABS[(TABS.indexOf(part) + move + TABS.length) % TABS.length]; choose(next); $('tab-' + next).focus(); }
  });
}
$('login').addEventListener('submit', async (event) => {
  event.preventDefault();
  try {
    const { code, data } = await ask('login', { password: $('password').value });
    if (code === 200) { put($('login-error'), ''); await enter(); }
    else put($('login-error'), code === 429 ? t('locked', Math.ceil(data.wait_s)) : t('wrong'));
  } catch { put($('login-error'), t('lost')); }
});
document.addEventListener('visibilitychange', () => { if (!document.hidden && signedIn) refresh(); });
texts();
ask('session').then(({ data }) => { put($('title'), data.title); return data.signed_in ? enter() : show(false); }).catch(() => { $('lost').hidden = false; setTimeout(() => location.reload(), 5000); });
