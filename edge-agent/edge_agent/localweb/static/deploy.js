'use strict';
// What runs, the deployment under way, and the versions to return to. The agent may switch while one looks.
const SWITCH_MS = 1000, LOOK_MS = 3000, FINAL = ['checked', 'refused', 'unchanged', 'confirmed', 'reverted'];
let situation = null, switching = false, situationTimer = 0;

function beginWatch() { switching = true; followSituation(); }

async function openConfig() {
  await followSituation();
  if (!draft.loaded && situation) await openDraft();
}

async function followSituation() {
  clearTimeout(situationTimer);
  if (!signedIn || (tab !== 'config' && !switching)) return;
  try {
    const reply = await ask('configuration');
    if (reply.code === 200) {
      situation = reply.data;
      const last = situation.steps.at(-1);
      if (last && FINAL.includes(last.step) && situation.deadline_ms === null) switching = false;
      drawSituation();
    }
  } catch { if (switching) say($('deploy-word'), 'is-warn', t('switching')); }
  situationTimer = setTimeout(followSituation, switching ? SWITCH_MS : LOOK_MS);
}

function drawSituation() {
  if (!situation) return;
  const { running, previous } = situation;
  facts($('running'), [
    [t('version'), short(running.hash)], [t('origin'), t('o_' + running.origin)], [t('inForceSince'), moment(running.since_ms)],
    [t('contents'), t('counts', situation.ports, situation.slaves, situation.points)],
    ...(previous ? [[t('previous'), `${short(previous.hash)} · ${t('o_' + previous.origin)}`]] : []),
  ]);
  $('file-faults').replaceChildren();
  if (situation.file_faults.length) {
    const list = make('ul', 'faults');
    drawFaults(list, situation.file_faults, false);
    $('file-faults').append(make('p', 'note is-warn', t('fileFaults')), list);
  }
  drawDeployment();
  drawVersions();
  drawStale();
}

function drawDeployment() {
  const { steps, deadline_ms: deadline, t_ms: now } = situation, last = steps.at(-1);
  $('deploy-box').hidden = !last && deadline === null;
  if ($('deploy-box').hidden) return;
  const over = last && FINAL.includes(last.step), kind = !over ? '' : last.step === 'confirmed' ? 'is-good' : last.step === 'unchanged' || last.step === 'checked' ? '' : 'is-bad';
  const who = t(situation.from_cloud ? 'byCloud' : 'byPage');
  if (deadline !== null) say($('deploy-word'), '', who, t('onTrial', span((deadline - now) / 1000)), ...missingWords(last?.missing));
  else if (over) say($('deploy-word'), kind, who, t('e_' + last.step), ...(last.code ? [reasonWord('d_', last.code)] : []), ...(last.detail ? [inWords(last.detail)] : []));
  else say($('deploy-word'), '', who, t('underWay'));
  $('deploy-wait').hidden = Boolean(over) && deadline === null;
  $('deploy-steps').replaceChildren(...steps.map((step) => {
    const item = make('li', step.step === 'reverted' || step.step === 'refused' ? 'is-bad' : step.step === 'confirmed' ? 'is-good' : '');
    item.append(make('span', '', t('s_' + step.step)), make('span', 'hint', new Date(step.t_ms).toLocaleTimeString(language, { hour12: false })));
    return item;
  }));
  const faults = last?.faults ?? [], list = make('ul', 'faults');
  drawFaults(list, faults, false);
  $('deploy-faults').replaceChildren(...(faults.length ? [list] : []));
}

function missingWords(missing) {
  if (!missing) return [];
  const { slaves: silent = [], points: bad = [], slaves_all: silentAll = 0, points_all: badAll = 0, link = false } = missing, named = (names, all) => names.slice(0, 5).join(', ') + (all > 5 ? ' …' : '');
  return [t('stillMissing') + ': ' + [...(silentAll ? [t('silentSlaves', named(silent, silentAll))] : []), ...(badAll ? [t('badPoints', badAll, named(bad, badAll))] : []), ...(link ? [t('noLink')] : [])].join(' · ')];
}

function drawVersions() {
  const box = $('versions'), now = language + JSON.stringify([situation.versions, situation.running, situation.previous?.hash]);
  if (box.dataset.of === now) return;
  box.dataset.of = now;
  box.replaceChildren(...situation.versions.map(({ hash, kept_ms: kept, record }) => {
    const row = make('div', 'version'), runs = hash === situation.running.hash, file = make('a', 'quiet button', t('save'));
    file.href = 'api/configuration/file?hash=' + hash; file.download = '';
    row.append(make('code', '', short(hash)), make('span', 'hint', kept ? moment(kept) : ''), make('span', 'chip' + (runs ? ' is-good' : ''), runs ? t('runsNow') : hash === situation.previous?.hash ? t('ranBefore') : ''));
    row.lastChild.hidden = !row.lastChild.textContent;
    if (record) row.append(make('span', 'hint', t('o_' + record.origin)));
    if (record?.failed) row.append(make('span', 'chip is-bad', t('didNotHold')), make('span', 'hint note', [reasonWord('d_', record.failed), ...(record.detail ? [inWords(record.detail)] : [])].join(': ')));
    const acts = make('span', 'acts');
    acts.append(file, press(t('openIt'), 'quiet', async () => { if (!draft.dirty || await sure(t('discard'), t('discardGo'), [])) { await openDraft(hash); draft.dirty = !runs; $('draft-text').scrollIntoView({ block: 'center' }); } }));
    if (!runs) acts.append(press(t('returnTo'), 'quiet line', (event) => {
      $('draft-state').scrollIntoView({ block: 'center' });
      doing(event.target, $('draft-state'), () => deploy({ version: hash, base: situation.running.hash }, t('returnTitle', short(hash))));
    }));
    for (const one of acts.children) one.setAttribute('aria-label', `${one.textContent} ${short(hash)}`);
    row.append(acts);
    return row;
  }));
}
