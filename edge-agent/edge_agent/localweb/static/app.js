'use strict';
// The frame: language, theme, tabs, sign-in, and the question that is asked each second.
const TABS = ['values', 'alarms', 'bus', 'link', 'config', 'history', 'tools', 'system'];
const REFRESH_MS = 1000, AGAIN_MS = 5000, OPEN = { alarms: openAlarms, bus: openPorts, config: openConfig, history: openHistory, tools: openTools, system: openSystem };
let theme = kept('theme') || 'auto', timer = 0, catalog = '';

function texts() {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  for (const node of document.querySelectorAll('[data-text]')) put(node, t(node.dataset.text));
  $('language').textContent = t('language');
  $('language').title = t('languageHint');
  $('search').placeholder = t('search');
  $('search').setAttribute('aria-label', t('search'));
  $('history-search').placeholder = t('search');
  themed();
  for (const node of document.querySelectorAll('[data-label]')) node.setAttribute('aria-label', t(node.dataset.label));
  if (signedIn) { build(); drawSituation(); choose(tab); }
}

function themed() {
  if (theme === 'auto') delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = theme;
  const name = t({ auto: 'themeAuto', light: 'themeLight', dark: 'themeDark' }[theme]);
  put($('theme').firstChild, { auto: '◐', light: '☀', dark: '☾' }[theme]);
  put($('theme').lastChild, ' ' + name);
  $('theme').title = `${t('theme')}: ${name}`;
  $('theme').setAttribute('aria-label', $('theme').title);
}

function choose(name) {
  tab = TABS.includes(name) ? name : 'values';
  for (const part of TABS) {
    $(part).hidden = part !== tab;
    $('tab-' + part).setAttribute('aria-selected', String(part === tab));
    $('tab-' + part).tabIndex = part === tab ? 0 : -1;
  }
  $('tab-' + tab).scrollIntoView({ block: 'nearest', inline: 'nearest' });
  kept('tab', tab);
  const opened = Promise.resolve(OPEN[tab]?.()).catch(() => { /* the next refresh says that the connection is lost */ });
  draw();
  return opened;
}

function show(inside, message) {
  signedIn = inside;
  $('login').hidden = inside;
  $('signed-in').hidden = $('logout').hidden = $('chip').hidden = !inside;
  if (!inside) { clearTimeout(timer); $('write').close(); $('sure').close(''); put($('login-error'), message || ''); $('password').value = ''; $('password').focus(); }
}

// What does not change while one configuration runs.
async function learn() {
  const { data } = await ask('points');
  slaves = data.slaves;
  const titles = new Map(slaves.map((slave) => [slave.name, slave.title || slave.name]));
  points = data.points.map((point) => ({ ...point, slaveTitle: titles.get(point.slave) ?? point.slave }));
  about = budget = null;
  build();
}

async function enter() {
  show(true);
  logLines = []; catalog = '';
  await learn();
  choose(tab);
  refresh();
  followAddress();
}

// #frames=SLAVE, as the cloud's portal links to it: the frames on the port of that slave.
function followAddress() {
  const name = new URLSearchParams(location.hash.slice(1)).get('frames'), slave = slaves.find((one) => one.name === name);
  if (!slave) return;
  history.replaceState(null, '', location.pathname + location.search);
  choose('tools').then(() => followPort(slave.port)).catch(() => { /* the next refresh says that the connection is lost */ });
}

function draw() {
  if (!signedIn || !status) return;
  const [key, kind] = linkWord();
  put($('chip'), t(key)); $('chip').className = 'chip ' + kind;
  put($('title'), status.gateway.title || status.gateway.id);
  document.title = status.gateway.title || status.gateway.id;
  ({ values: drawValues, bus: drawBus, link: drawLink, system: drawSystem })[tab]?.();
}

async function refresh() {
  clearTimeout(timer);
  try {
    const [live, state] = await Promise.all([tab === 'values' ? ask('live') : null, ask('status')]);
    status = state.data;
    serverMs = live?.data.t_ms ?? status.gateway.t_ms;
    if (tab === 'alarms') await openAlarms();
    if (live) { values = new Map(live.data.values.map((row) => [row[0], row])); settleWrite(); }
    if (catalog && catalog !== status.gateway.catalog) { await learn(); if (OPEN[tab] && tab !== 'config') await OPEN[tab](); }
    catalog = status.gateway.catalog;
    $('lost').hidden = true;
    draw();
  } catch (error) {
    if (!signedIn) { $('lost').hidden = true; return; }
    put($('lost'), t(switching ? 'switching' : 'lost'));
    $('lost').hidden = false;
    put($('chip'), t('noContact')); $('chip').className = 'chip is-gone';
  }
  timer = setTimeout(refresh, document.hidden ? 10 * REFRESH_MS : REFRESH_MS);
}

$('language').addEventListener('click', () => { language = language === 'zh' ? 'en' : 'zh'; kept('language', language); texts(); });
$('theme').addEventListener('click', () => { theme = { auto: 'light', light: 'dark', dark: 'auto' }[theme]; kept('theme', theme); themed(); if (signedIn && tab === 'history') loadHistory(); });
$('logout').addEventListener('click', async () => { await ask('logout', {}); show(false); });
for (const part of TABS) {
  $('tab-' + part).addEventListener('click', () => { choose(part); if (part === 'values') refresh(); });
  $('tab-' + part).addEventListener('keydown', (event) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key], end = { Home: 0, End: TABS.length - 1 }[event.key];
    if (move === undefined && end === undefined) return;
    const next = TABS[end ?? (TABS.indexOf(part) + move + TABS.length) % TABS.length];
    event.preventDefault(); choose(next); $('tab-' + next).focus();
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
addEventListener('online', () => { if (signedIn) refresh(); });
texts();
ask('session').then(({ data }) => { put($('title'), data.title); return data.signed_in ? enter() : show(false); }).catch(() => { $('lost').hidden = false; setTimeout(() => location.reload(), AGAIN_MS); });
