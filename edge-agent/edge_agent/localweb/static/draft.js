'use strict';
// A configuration as text: written, opened, saved, judged and deployed.
const draft = { base: null, dirty: false, loaded: false, lines: 0, version: '' };

async function openDraft(hash) {
  const form = $('draft-form').value, reply = await ask(`configuration/text?form=${form}${hash ? '&hash=' + hash : ''}`);
  if (reply.code !== 200) { say($('draft-state'), 'is-bad', ...refusal(reply)); return; }
  $('draft-form').value = reply.data.form;
  write(reply.data.text, reply.data.running, false);
  if (form !== reply.data.form) say($('draft-state'), 'is-warn', t('onlyJson'));
}

function write(text, base, dirty) {
  $('draft-text').value = text;
  Object.assign(draft, { base, dirty, loaded: true });
  $('force').checked = false;
  clearJudgement(); numberLines(); drawStale();
  $('draft-text').scrollTop = 0;
}

function numberLines() {
  const count = $('draft-text').value.split('\n').length;
  if (count !== draft.lines) {
    draft.lines = count;
    put($('gutter'), Array.from({ length: count }, (_, index) => index + 1).join('\n'));
  }
  $('gutter').scrollTop = $('draft-text').scrollTop;
}

function clearJudgement() {
  say($('draft-state'), '');
  $('draft-faults').replaceChildren(); $('draft-change').replaceChildren();
}

function drawStale() {
  const stale = draft.loaded && situation && draft.base !== situation.running.hash;
  if (stale && !draft.dirty && !switching) { openDraft(); return; }
  $('draft-stale').hidden = !stale || !draft.dirty;
  put($('draft-stale'), stale ? t('draftStale', short(situation.running.hash)) : '');
}

// ---- faults, and the line that each one means

const isJson = (text) => text.trimStart().startsWith('{');

function lineOf(field, rule, text) {
  const told = /line (\d+)/.exec(rule);
  if (field === 'file') return told ? Number(told[1]) - 1 : -1;
  const [section, ...names] = field.split('.'), [, name, index] = /^([^[]+)(?:\[(\d+)\])?/.exec(section) ?? [], lines = text.split('\n'), json = isJson(text);
  const starts = json ? (line) => line === '    {' : (line) => line.trim() === `[[${name}]]`;
  let at = index === undefined || json ? lines.findIndex((line) => json ? line.startsWith(`  "${name}":`) : line.trim() === `[${name}]`) : -1;
  if (json && at < 0) return -1;
  for (let left = index === undefined ? -1 : Number(index); left >= 0; left -= 1) {
    at = lines.findIndex((line, number) => number > at && starts(line));
    if (at < 0) return -1;
  }
  for (const wanted of names) {
    const form = json ? new RegExp(`^\\s+"${wanted}":`) : new RegExp(`^\\s*${wanted}\\s*=`);
    const end = lines.findIndex((line, number) => number > at && (json ? line === '    {' || /^ {2}"/.test(line) : line.startsWith('[')));
    const found = lines.findIndex((line, number) => number > at && (end < 0 || number < end) && form.test(line));
    if (found < 0) break;
    at = found;
  }
  return at;
}

function goTo(line) {
  const area = $('draft-text'), lines = area.value.split('\n'), start = lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0);
  area.focus();
  area.setSelectionRange(start, start + lines[line].length);
  area.scrollTop = Math.max(0, (area.scrollHeight / lines.length) * (line - 3));
  numberLines();
}

function drawFaults(box, faults, jump) {
  const text = $('draft-text').value;
  box.replaceChildren(...faults.map(({ field, rule }) => {
    const item = make('li'), line = jump ? lineOf(field, rule, text) : -1, says = translated(rule);
    item.append(line < 0 ? make('code', '', field) : press(`${field} · ${t('line', line + 1)}`, 'quiet', () => goTo(line)), make('span', '', says ?? rule));
    if (says && says !== rule) item.append(make('span', 'hint', rule));
    return item;
  }));
}

// ---- judged and deployed

// Every setting that differs, under its section and item.
function drawDifferences(box, { differences = [], differences_more: more = 0 }) {
  if (!differences.length) return;
  const list = make('details', 'differences'), rows = make('table'), scroll = make('div', 'scroll'), at = (row) => [row.section, row.item].filter(Boolean).join(' · ');
  table(rows, ['setting', 'oldValue', 'newValueIs'].map((name) => t(name)), differences.map((row) => [row.setting || t('whole'), row.before ?? '–', row.after ?? '–']));
  [...rows.tBodies[0].rows].forEach((line, index) => {
    if (index && at(differences[index]) === at(differences[index - 1])) return;
    const head = make('tr', 'group'), cell = make('th', '', at(differences[index])); cell.colSpan = 3; head.append(cell); line.before(head);
  });
  scroll.tabIndex = 0; scroll.append(rows); list.open = differences.length <= 50;
  list.append(make('summary', '', t('settingsChanged', differences.length + more)), scroll);
  if (more) list.append(make('p', 'hint', t('andMore', more)));
  box.append(list);
}

function drawChange(box, receipt) {
  const { change } = receipt;
  box.replaceChildren();
  if (!change) return;
  const list = make('dl', 'facts wide'), loads = make('table');
  facts(list, [[t('pointsAdded'), change.points_added], [t('pointsRemoved'), change.points_removed, change.points_removed ? 'is-warn' : ''], [t('pointsChanged'), change.points_changed], [t('cloudLink'), t(change.restarts_link ? 'linkRestarts' : 'linkStays'), change.restarts_link ? 'is-warn' : '']]);
  drawDifferences(box, receipt);
  const told = (value) => value === null || value === undefined ? '–' : percent(value), ports = change.ports ?? [], differs = ports.filter((port) => port.before !== port.after);
  box.append(make('h3', '', t('changes')), list);
  if (!ports.length) return;
  table(loads, [t('port'), t('loadBefore'), t('loadAfter')], (differs.length ? differs : ports).map((port) => [port.port, told(port.before), told(port.after)]));
  [...loads.tBodies[0].rows].forEach((row, index) => { if ((differs.length ? differs : ports)[index].after > 100) row.className = 'is-bad'; });
  box.append(loads);
}

// Shows what came of a question and gives the receipt, or null when there is none.
function judgement(reply) {
  clearJudgement();
  if (reply.code !== 200) {
    const faults = reply.data.faults ?? (reply.data.error ? [reply.data.error] : []);
    say($('draft-state'), 'is-bad', t('faultsFound', faults.length));
    drawFaults($('draft-faults'), faults, true);
    return null;
  }
  const { step, code = '', detail = '', faults = [] } = reply.data, // what is as usual is left out of a message
    good = step === 'checked' || step === 'staged';
  if (step === 'refused') say($('draft-state'), 'is-bad', ...(faults.length ? [t('faultsFound', faults.length)] : [word('d_' + code) ?? code, inWords(detail)]));
  else say($('draft-state'), good ? 'is-good' : '', t('j_' + step));
  drawFaults($('draft-faults'), faults, true);
  drawChange($('draft-change'), reply.data);
  return reply.data;
}

const wanted = () => ({ text: $('draft-text').value, base: $('force').checked ? null : draft.base });
const checkDraft = async () => judgement(await ask('configuration/check', wanted()));

async function deploy(body, title) {
  const checked = judgement(await ask('configuration/check', body));
  if (checked?.step !== 'checked') return;
  const confirm_s = Number($('confirm-s').value), { change } = checked;
  const agreed = await sure(title, t('apply'), [
    [t('pointsAdded'), change.points_added], [t('pointsRemoved'), change.points_removed, change.points_removed ? 'is-warn' : ''], [t('pointsChanged'), change.points_changed],
    [t('confirmWithin'), span(confirm_s)],
  ]);
  if (!agreed) { say($('draft-state'), '', t('notApplied')); return; }
  const receipt = judgement(await ask('configuration/apply', { ...body, confirm_s }));
  if (receipt?.step !== 'staged') return;
  draft.dirty = false;
  beginWatch();
}

function save() {
  const link = make('a'), text = $('draft-text').value;
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  link.download = `${status?.gateway.id ?? 'gateway'}-draft.${isJson(text) ? 'json' : 'toml'}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

$('draft-text').addEventListener('input', () => { draft.dirty = true; numberLines(); clearJudgement(); });
$('draft-text').addEventListener('scroll', () => { $('gutter').scrollTop = $('draft-text').scrollTop; });
$('draft-new').addEventListener('click', () => doing($('draft-new'), $('draft-state'), () => openDraft()));
$('draft-form').addEventListener('change', async () => {
  if (!draft.dirty || await sure(t('discard'), t('discardGo'), [])) openDraft();
  else $('draft-form').value = isJson($('draft-text').value) ? 'json' : 'toml';
});
$('draft-save').addEventListener('click', save);
$('draft-file').addEventListener('change', async () => {
  const [file] = $('draft-file').files;
  if (!file) return;
  const text = await file.text();
  $('draft-file').value = '';
  $('draft-form').value = isJson(text) ? 'json' : 'toml';
  write(text, situation?.running.hash ?? draft.base, true);
  say($('draft-state'), '', t('opened', file.name));
});
$('draft-check').addEventListener('click', () => doing($('draft-check'), $('draft-state'), checkDraft));
$('draft-apply').addEventListener('click', () => doing($('draft-apply'), $('draft-state'), () => deploy(wanted(), t('applyTitle'))));
addEventListener('beforeunload', (event) => { if (draft.dirty && signedIn) event.preventDefault(); });
