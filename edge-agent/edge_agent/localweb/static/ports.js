'use strict';
// Ports with their load and their slaves.
let budget = null;

async function openPorts() {
  if (budget) return;
  budget = new Map();
  try { budget = new Map((await ask('budget')).data.ports.map((one) => [one.port, one])); } catch { budget = null; }
}

function portWord(port) {
  if (!port.enable) return ['disabled', ''];
  if (port.lent) return ['lent', 'is-warn'];
  return port.open ? ['open', 'is-good'] : ['closed', 'is-bad'];
}

function drawBus() {
  const box = $('ports');
  while (box.children.length > status.ports.length) box.lastChild.remove();
  while (box.children.length < status.ports.length) box.append(portCard());
  const bySlave = new Map(slaves.map((slave) => [slave.name, slave]));
  status.ports.forEach((port, index) => {
    const on = status.slaves.filter((state) => bySlave.get(state.slave)?.port === port.name);
    box.children[index].renew(port, on, bySlave);
  });
}

// On a phone each row is a block with its names: the roles say that it is a table still.
function stacked(node, names) {
  const roles = [['thead, tbody', 'rowgroup'], ['tr', 'row'], ['th', 'columnheader'], ['td', 'cell']];
  node.setAttribute('role', 'table');
  for (const [kind, role] of roles) for (const one of node.querySelectorAll(kind)) one.setAttribute('role', role);
  for (const row of node.tBodies[0].rows) [...row.cells].forEach((cell, index) => { cell.dataset.name = names[index]; });
}

// Behind what is counted since these parts of the agent began; the day too when that was not today.
function sinceNote() {
  const since = new Date(status.collection.since_ms), today = since.toDateString() === new Date(serverMs).toDateString();
  return t('sinceNote', today ? since.toLocaleTimeString(language, { hour12: false }) : moment(status.collection.since_ms));
}

// Share of the expected reads since these parts of the agent began, cut and never rounded up: 100 % is all of them.
function collectedOf(reads) {
  if (!reads?.expected) return ['–', t('nothingExpected'), ''];
  const share = Math.floor((reads.good * 10000) / reads.expected) / 100, why = Object.entries(reads.missed).map(([code, count]) => `${word('m_' + code) ?? code} ${count}`);
  const newest = status.collection.gaps.find((gap) => gap.slave === reads.slave);
  const last = newest ? ` · ${t('lastGap')} ${moment(newest.from_ms)} – ${moment(newest.to_ms)}${newest.by ? ' · ' + newest.by : ''}` : '';
  return [(share === 100 ? '100' : share.toFixed(2)) + ' %' + (why.length ? ' · ' + why.join(', ') : ''), t('collectedHint', reads.good, reads.expected, moment(status.collection.since_ms)) + last, share === 100 ? '' : 'is-warn'];
}

// A kind of fault with the code of the slave's own error.
function faultWord({ kind, code }) {
  return (word('f_' + kind) ?? kind) + (code === null ? '' : ` 0x${code.toString(16).toUpperCase().padStart(2, '0')}`);
}

function portCard() {
  const card = make('div', 'card port'), head = make('div', 'head'), title = make('h3'), chip = make('span', 'chip'), list = make('dl', 'facts wide'), box = make('div', 'scroll'), slaveTable = make('table', 'slaves');
  let port = null, columns = '';
  const frames = press('', 'quiet', () => { choose('tools'); followPort(port.name); });
  head.append(title, chip, frames);
  box.tabIndex = 0; box.append(slaveTable); card.append(head, list, box);
  card.renew = (next, on, bySlave) => {
    port = next;
    const [key, kind] = portWord(port), planned = budget?.get(port.name);
    put(title, `${port.name} · ${port.where}`); put(chip, t(key)); chip.className = 'chip ' + kind; put(frames, t('frames'));
    facts(list, [
      [t('busy'), percent(port.busy_percent), port.busy_percent > 95 ? 'is-warn' : ''],
      ...(planned ? [[t('plannedLoad'), percent(planned.used_percent) + (planned.fits ? '' : ' · ' + t('tooMuch')), planned.fits ? '' : 'is-bad']] : []),
      ...['requests', 'failures', 'missed'].map((name) => [t(name) + sinceNote(), port[name], name === 'missed' && port.missed ? 'is-warn' : '']),
      ...(port.lent ? [[t('state'), t('lentHint'), 'is-warn']] : []), ...(port.last_error ? [[t('lastError'), port.last_error]] : []),
    ]);
    box.hidden = !on.length; box.setAttribute('role', 'region'); box.setAttribute('aria-label', `${port.name}: ${t('slaves')}`);
    const now = language + status.collection.since_ms + on.map((state) => state.slave).join();
    if (columns !== now) {
      columns = now;
      const names = ['slave', 'state', 'lastGood', 'turnaround', 'failedReads', 'lastFault', 'collected'].map((name) => t(name) + (name === 'collected' ? sinceNote() : ''));
      table(slaveTable, names, on.map(() => names.map(() => '')));
      stacked(slaveTable, names);
    }
    on.forEach((state, index) => {
      const cells = slaveTable.tBodies[0].rows[index].cells;
      put(cells[0], bySlave.get(state.slave).title || state.slave);
      put(cells[1], state.online ? t('online') : `${t('offline')}: ${word('c_' + state.reason) ?? state.reason}`);
      cells[1].className = state.online ? '' : 'is-bad';
      put(cells[2], ago(state.last_good_ms));
      const { requests = 0, failures = 0, mean_ms: mean = null, max_ms: max = null, faults = [] } = state.bus ?? {};
      put(cells[3], mean === null ? '–' : `${mean.toFixed(1)} / ${max.toFixed(1)} ms`); put(cells[4], requests ? `${failures} / ${requests}` : '–'); cells[4].className = failures ? 'is-warn' : '';
      put(cells[5], faults.length ? `${faultWord(faults[0])} · ${ago(faults[0].last_ms)}` : '–'); cells[5].title = faults.map((fault) => `${faultWord(fault)} × ${fault.count}`).join('\n');
      const [share, hint, kind] = collectedOf(status.collection.slaves.find((one) => one.slave === state.slave));
      put(cells[6], share); cells[6].title = hint; cells[6].className = kind;
    });
  };
  return card;
}
