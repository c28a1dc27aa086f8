'use strict';
// Live values: thousands of points, of which only those in sight are in the document; a few are there whole.
const FEW_ROWS = 200, HEAD_PX = 42, WIDE = matchMedia('(min-width: 900px)'), MORE_PX = 300, FLASH_MS = 150;
let rows = [], items = [], offsets = [0], drawn = new Map();

const selection = (point, value) => typeof value === 'number' && Object.entries(point.selector ?? {}).find(([text]) => Number(text) === value);

// Word of a switch's position: the point's own, else the language's.
const position = (point, on) => (on ? point.on_text : point.off_text) || t(on ? 'on' : 'off');

function shown(point, value) {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'boolean') return position(point, value);
  const named = selection(point, value);
  if (named) return named[1];
  if (typeof value === 'number' && point.decimals !== undefined) return value.toFixed(point.decimals);
  if (typeof value === 'number' && !Number.isInteger(value)) return String(Number(value.toPrecision(7)));
  return String(value);
}

// Quality of a sample as [kind, word]; an old one is stale whatever it says.
function judged(point, sample) {
  const [, ms, , q] = sample ?? [0, 0, null, 1];
  const old = sample && point.period_ms && serverMs - ms > 3 * point.period_ms + 2000;
  return [q !== 0 && q !== 8 ? 'is-bad' : old || q === 8 ? 'is-warn' : '', q === 0 && old ? t('q2') : t('q' + q)];
}

function build() {
  rows = points.map((point) => ({ point, search: `${point.title} ${point.name} ${point.slaveTitle}`.toLowerCase() }));
  fill($('by-slave'), [['', t('allSlaves')], ...slaves.map((slave) => [slave.name, slave.title || slave.name])], true);
  $('no-points').hidden = points.length > 0;
  forget();
}

function forget() {
  for (const node of drawn.values()) node.remove();
  drawn = new Map();
}

// What passes the filters, with a heading for each slave, and where it stands.
function arrange() {
  const words = $('search').value.trim().toLowerCase(), abnormal = $('abnormal').checked, slave = $('by-slave').value, row_px = WIDE.matches ? 46 : 64;
  const found = new Map();
  let visible = 0, y = 0;
  for (const row of rows) {
    if ((slave && row.point.slave !== slave) || (words && !row.search.includes(words)) || (abnormal && !judged(row.point, values.get(row.point.id))[0])) continue;
    const group = found.get(row.point.slave);
    if (group) group.push(row); else found.set(row.point.slave, [row]);
    visible += 1;
  }
  items = []; offsets = [];
  for (const [name, group] of found) {
    items.push({ key: 'head ' + name, slave: name, title: group[0].point.slaveTitle }); offsets.push(y); y += HEAD_PX;
    for (const row of group) { items.push({ key: row.point.id, point: row.point }); offsets.push(y); y += row_px; }
  }
  $('groups').style.height = y + 'px';
  $('groups').hidden = !items.length;
  put($('count'), t('count', visible, points.length));
}

function firstBelow(px) {
  let low = 0, high = offsets.length;
  while (low < high) { const middle = (low + high) >> 1; if (offsets[middle] < px) low = middle + 1; else high = middle; }
  return low;
}

function drawValues() { arrange(); drawInSight(); }

function drawInSight() {
  if (items.length <= FEW_ROWS) { drawRows(0, items.length); return; }
  const top = -$('groups').getBoundingClientRect().top, first = Math.max(0, firstBelow(top - MORE_PX) - 1);
  drawRows(first, firstBelow(top + innerHeight + MORE_PX));
}

function drawRows(first, last) {
  const wanted = new Map(items.slice(first, last).map((item, index) => [item.key, [item, first + index]]));
  for (const [key, node] of drawn) if (!wanted.has(key) && !node.contains(document.activeElement)) { node.remove(); drawn.delete(key); }
  for (const [key, [item, index]] of wanted) {
    let node = drawn.get(key);
    if (!node) {
      node = item.point ? pointRow(item.point) : headRow(item);
      drawn.set(key, node); $('groups').append(node);
    }
    node.style.transform = `translateY(${offsets[index]}px)`;
    node.setAttribute('aria-posinset', index + 1); node.setAttribute('aria-setsize', items.length);
    node.renew();
  }
}

// On paper nothing scrolls: every row is there, in the order of the list.
function drawForPrint() { if (signedIn && tab === 'values') { forget(); arrange(); drawRows(0, items.length); } }

function headRow(item) {
  const node = make('div', 'slave-head'), chip = make('span', 'chip');
  node.setAttribute('role', 'listitem');
  node.append(make('h2', '', item.title), chip);
  node.renew = () => {
    const slave = status?.slaves.find((one) => one.slave === item.slave);
    chip.className = 'chip ' + (!slave || slave.online ? '' : 'is-bad');
    put(chip, slave ? t(slave.online ? 'online' : 'offline') : '');
  };
  return node;
}

function pointRow(point) {
  const node = make('div', 'point'), value = make('div', 'value'), number = make('span');
  const quality = make('div', 'quality'), side = make('div', 'side'), age = make('span', 'age');
  node.setAttribute('role', 'listitem');
  value.append(number, make('small', '', point.unit ? ' ' + point.unit : '')); side.append(age);
  const title = make('div', 'name', point.title); title.title = `${point.title} (${point.slave}.${point.name})`;
  if (point.rw !== 'readonly') {
    const button = press(t('write'), 'quiet', () => openWrite(point));
    button.setAttribute('aria-label', t('write') + ' ' + point.title);
    side.append(button);
  }
  node.append(title, value, quality, side);
  let held = null;
  node.renew = () => {
    const sample = values.get(point.id), [kind, says] = judged(point, sample), text = shown(point, sample?.[2]);
    node.className = 'point ' + kind;
    // Value by value: another language, or the same value again after a silence, is no change.
    const now = sample?.[2] ?? held, changed = held !== null && now !== held;
    held = now;
    if (changed) { value.classList.add('changed'); setTimeout(() => value.classList.remove('changed'), FLASH_MS); }
    if (number.textContent !== text) {
      number.textContent = text;
      value.title = text + (point.unit ? ' ' + point.unit : '');
    }
    put(quality, says);
    put(age, sample ? ago(sample[1]) : '');
  };
  return node;
}

for (const [id, event] of [['search', 'input'], ['abnormal', 'change'], ['by-slave', 'change']]) $(id).addEventListener(event, () => draw());
addEventListener('scroll', () => { if (signedIn && tab === 'values') requestAnimationFrame(drawInSight); }, { passive: true });
addEventListener('beforeprint', drawForPrint);
addEventListener('afterprint', () => { if (signedIn && tab === 'values') { forget(); draw(); } });
addEventListener('resize', () => { if (signedIn && tab === 'values') draw(); });
