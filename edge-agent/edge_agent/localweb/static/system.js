'use strict';
// The log, the support bundle, the program itself, the password and the networks that ports may reach.
const LOG_MS = 2000, MOST_LINES = 500, LEVELS = ['info', 'warning', 'error'];
let logLines = [], logTimer = 0;

function openSystem() {
  fill($('log-level'), LEVELS.map((level) => [level, t('l_' + level)]), true);
  drawLog(); followLog(); openNetworks();
}

async function followLog() {
  clearTimeout(logTimer);
  if (!signedIn || tab !== 'system') return;
  if ($('log-follow').checked) {
    try {
      const { code, data } = await ask('logs?after=' + (logLines.at(-1)?.number ?? 0));
      if (code === 200 && data.lines.length) { logLines = [...logLines, ...data.lines].slice(-MOST_LINES); drawLog(); }
    } catch { /* the page says that the connection is lost */ }
  }
  logTimer = setTimeout(followLog, LOG_MS);
}

function drawLog() {
  const box = $('log'), atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 30, least = LEVELS.indexOf($('log-level').value);
  const fitting = logLines.filter((line) => Math.max(0, LEVELS.indexOf(line.level === 'critical' ? 'error' : line.level)) >= least);
  box.replaceChildren(...fitting.map((line) => {
    const row = make('div', 'line-of-log is-' + line.level);
    row.append(make('span', 'when', new Date(line.t_ms).toLocaleTimeString(language, { hour12: false })), make('span', 'level', t('l_' + line.level)), make('code', '', `${line.room}: ${line.text}`));
    row.firstChild.title = moment(line.t_ms);
    return row;
  }));
  if (!fitting.length) box.append(make('p', 'hint', t('noLines')));
  if (atEnd) box.scrollTop = box.scrollHeight;
}

function drawSystem() {
  const { gateway } = status;
  facts($('program'), [[t('id'), gateway.id], [t('agent'), gateway.agent], [t('uptime'), span(gateway.uptime_s)], [t('memory'), gateway.memory_mb + ' MB'], [t('clock'), gateway.clock_set ? moment(gateway.t_ms) : t('clockUnset'), gateway.clock_set ? '' : 'is-bad']]);
}

async function restart() {
  if (!await sure(t('restartTitle'), t('restartAgent'), [[t('gateway'), status?.gateway.title || status?.gateway.id || '']])) { say($('restart-state'), ''); return; }
  const reply = await ask('system/restart', {});
  if (reply.code === 202) say($('restart-state'), 'is-good', t('restarting')); else say($('restart-state'), 'is-bad', ...refusal(reply));
}

async function changePassword() {
  const outcome = $('password-state'), boxes = ['password-now', 'password-new', 'password-again'].map($);
  if (boxes[1].value !== boxes[2].value) { say(outcome, 'is-bad', t('notTheSame')); return; }
  const reply = await ask('system/password', { password: boxes[0].value, new: boxes[1].value });
  if (reply.code !== 200) { say(outcome, 'is-bad', ...(reply.code === 403 ? [t('wrong')] : refusal(reply))); return; }
  for (const box of boxes) box.value = '';
  say(outcome, 'is-good', t('passwordChanged'));
}

function drawNetworks(networks) {
  $('networks').value = (networks ?? []).join('\n');
  put($('networks-now'), networks === null ? t('networksNone') : '');
}

async function openNetworks() {
  const { code, data } = await ask('system/networks');
  if (code === 200) drawNetworks(data.networks);
}

async function keepNetworks() {
  const lines = $('networks').value.split('\n').map((line) => line.trim()).filter(Boolean);
  const reply = await ask('system/networks', { networks: lines.length ? lines : null });
  if (reply.code !== 200) { say($('networks-state'), 'is-bad', ...refusal(reply)); return; }
  drawNetworks(reply.data.networks);
  say($('networks-state'), 'is-good', t('networksKept'));
}

$('log-level').addEventListener('change', drawLog);
$('log-follow').addEventListener('change', followLog);
$('restart').addEventListener('click', () => doing($('restart'), $('restart-state'), restart));
$('password-form').addEventListener('submit', (event) => { event.preventDefault(); doing($('password-form').querySelector('button'), $('password-state'), changePassword); });
$('networks-form').addEventListener('submit', (event) => { event.preventDefault(); doing($('networks-form').querySelector('button'), $('networks-state'), keepNetworks); });
