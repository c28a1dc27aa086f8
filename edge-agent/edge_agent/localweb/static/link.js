'use strict';
// The link to the cloud, what waits for it, its secret and the passwords of other targets.
function linkWord() {
  const link = status.link;
  if (!link.enabled) return ['noCloud', ''];
  if (link.accepted) return ['connected', 'is-good'];
  if (link.refusal) return ['refused', 'is-bad'];
  if (link.back_ms) return ['asleep', ''];
  return link.connected ? ['accepting', 'is-warn'] : ['notConnected', 'is-bad'];
}

// The gateway judges the rate over ten minutes; before that, no hours means that it does not know.
const RATE_KNOWN_S = 620;

function hoursWord(hours, { t_ms: now, since_ms: since, uptime_s: uptime }) {
  if (hours === null || hours === undefined) return t(Math.min(uptime, (now - since) / 1000) < RATE_KNOWN_S ? 'fillUnknown' : 'notFilling');
  return hours < 100 ? t('hours', hours < 10 ? hours.toFixed(1) : Math.round(hours)) : span(hours * 3600);
}

// All slaves as one.
function together(reads) {
  const missed = {};
  for (const one of reads) for (const [code, count] of Object.entries(one.missed)) missed[code] = (missed[code] ?? 0) + count;
  return { slave: '', missed, expected: reads.reduce((sum, one) => sum + one.expected, 0), good: reads.reduce((sum, one) => sum + one.good, 0) };
}

// Every target but the cloud, which has a card of its own.
function drawForwarders() {
  const box = $('forwarders'), others = status.forwarders.filter((one) => one.kind !== 'cloud');
  box.hidden = others.length === 0;
  while (box.children.length > others.length * 2) box.lastChild.remove();
  while (box.children.length < others.length * 2) box.append(make('h2'), make('dl', 'card facts'));
  others.forEach((one, index) => {
    const kind = { up: '', connected: 'is-warn', down: 'is-bad', off: '' }[one.condition], ledger = one.deliveries;
    put(box.children[2 * index], t('forwarder', one.name));
    facts(box.children[2 * index + 1], [
      [t('forwarderKind'), word('k_' + one.kind) ?? one.kind], [t('state'), word('fw_' + one.condition), kind],
      ...Object.entries(one.passwords).map(([secret, state]) => [t('s_' + secret), word('pw_' + state), state === 'set' ? '' : 'is-warn']),
      ...(one.since_ms ? [[word('fwSince_' + one.condition), moment(one.since_ms)]] : []), ...(one.reason ? [[t('reason'), one.reason, kind + ' is-text']] : []),
      ...(one.condition === 'down' ? [[t('nextTry'), one.next_try_ms > serverMs ? t('nextTryIn', span((one.next_try_ms - serverMs) / 1000)) : t('trying')]] : []),
      [t('waitingRecords'), one.waiting_records],
      [t('depth'), one.waiting_batches], [t('size'), bytes(one.waiting_bytes)], [t('evicted'), one.lost_batches, one.lost_batches ? 'is-bad' : ''], [t('lastAck'), ago(ledger.last_ack_ms)],
      [t('delivered'), ledger.late ? t('deliveredLate', ledger.delivered, ledger.late) : ledger.delivered], ...(ledger.repeated ? [[t('repeated'), ledger.repeated]] : []),
      [t('givenUp'), ledger.given_up, ledger.given_up ? 'is-bad' : ''], [t('failedAttempts'), ledger.failed, ledger.failed ? 'is-warn' : ''],
      ...ledger.rejects.toReversed().map(({ t_ms: ms, record, reason, count, given_up: gone }) => [moment(ms), t(gone ? 'gaveUpOf' : 'failedOf', record, reason, count), gone ? 'is-bad is-text' : 'is-warn is-text']),
    ]);
  });
}

// The internal slave with its masters, and every loop-write task.
function drawField() {
  const cards = [], own = status.internal_slave;
  if (own) {
    const counts = own.counts, bad = own.refused + own.bad_frames;
    cards.push([t('internalSlave', own.id), [
      [t('listens'), own.listens], ...(own.fault ? [[t('reason'), own.fault, 'is-bad']] : []), [t('mappedPoints'), own.points],
      [t('masters'), own.masters.map((one) => `${one.peer} (${one.requests})`).join(', ') || '–'], [t('masterRequests'), counts.requests],
      [t('masterWrites'), counts.values_written], [t('exceptions'), counts.exceptions, counts.exceptions ? 'is-warn' : ''],
      ...(bad ? [[t('refusedMasters'), bad, 'is-warn']] : []), ...(counts.last_error ? [[moment(counts.last_error_ms), counts.last_error, 'is-warn']] : []),
    ]]);
  }
  for (const one of status.loop_writes) {
    const kind = { done: '', waiting: '', disabled: '' }[one.outcome] ?? 'is-bad';
    cards.push([t('loopWrite', one.name), [
      [t('slave'), one.slave], [t('loopInterval'), span(one.interval_s)], [t('state'), word('lw_' + one.outcome) ?? one.outcome, kind], ...(one.reason ? [[t('reason'), one.reason, kind]] : []),
      ...(one.last_ms ? [[t('loopLast'), moment(one.last_ms)]] : []), [t('loopSent'), one.sent], [t('loopFailed'), one.failed, one.failed ? 'is-warn' : ''],
      ...(one.last_error && one.last_error !== one.reason ? [[moment(one.last_error_ms), one.last_error, 'is-warn']] : []), ...(one.missed ? [[t('loopMissed'), one.missed, 'is-warn']] : []),
    ]]);
  }
  const box = $('field');
  box.hidden = cards.length === 0;
  while (box.children.length > cards.length * 2) box.lastChild.remove();
  while (box.children.length < cards.length * 2) box.append(make('h2'), make('dl', 'card facts'));
  cards.forEach(([title, rows], index) => { put(box.children[2 * index], title); facts(box.children[2 * index + 1], rows); });
}

function drawTargets() {
  const named = status.forwarders.flatMap((one) => Object.keys(one.passwords).map((secret) => [`${one.name}.${secret}`, `${one.name}: ${t('s_' + secret)}`]));
  $('target-box').hidden = named.length === 0;
  if ([...$('target').options].map((one) => one.value).join() !== named.map(([name]) => name).join()) fill($('target'), named, true);
}

function drawLink() {
  const { link, outbox, gateway, capacity_bytes: capacity } = status, [key, kind] = linkWord(), hours = outbox.hours_left;
  facts($('cloud'), [
    [t('state'), t(key), kind === 'is-good' ? '' : kind], ...(link.since_ms ? [[t(link.accepted || link.connected ? 'connectedSince' : 'lostSince'), moment(link.since_ms)]] : []),
    ...(link.back_ms ? [[t('nextReport'), moment(link.back_ms)]] : []),
    ...(link.reason ? [[t('reason'), link.reason, kind]] : []), ...(link.refusal ? [[t('refusal'), word('r_' + link.refusal) ?? link.refusal, 'is-bad']] : []),
    [t('lastAck'), ago(link.last_ack_ms)], [t('inFlight'), link.in_flight], [t('acknowledged'), link.acknowledged_batches],
    ...(link.bad_messages ? [[t('badMessages'), link.bad_messages, 'is-warn']] : []),
  ]);
  const share = capacity ? Math.min(1, outbox.payload_bytes / capacity) : 0;
  $('fill').value = share;
  put($('fill-words'), t('fillWords', percent(share * 100), bytes(capacity)));
  facts($('outbox'), [
    [t('collected') + sinceNote(), ...collectedOf(together(status.collection.slaves)).toSpliced(1, 1)],
    [t('hoursLeft'), hoursWord(hours, gateway), hours !== null && hours < 24 ? 'is-warn' : ''],
    [t('depth'), outbox.batches], [t('size'), bytes(outbox.payload_bytes)],
    [t('evicted'), outbox.evicted_batches, outbox.evicted_batches ? 'is-bad' : ''], [t('dropped'), outbox.dropped_samples, outbox.dropped_samples ? 'is-bad' : ''],
    [t('pending'), outbox.pending_samples], ...(outbox.full ? [[t('state'), t('mediumFull'), 'is-bad']] : []),
    [t('writtenDay'), outbox.written_bytes_day === null ? t('notYetKnown') : bytes(outbox.written_bytes_day)], [t('stream'), outbox.stream],
  ]);
  drawForwarders();
  drawField();
  drawTargets();
  facts($('gateway'), [
    [t('id'), gateway.id], [t('agent'), gateway.agent], [t('uptime'), span(gateway.uptime_s)], [t('inForceSince'), moment(gateway.since_ms)], [t('memory'), gateway.memory_mb + ' MB'],
    [t('clock'), gateway.clock_set ? moment(gateway.t_ms) : t('clockUnset'), gateway.clock_set ? '' : 'is-bad'],
  ]);
  put($('secret-now'), t(status.secret_set ? 'secretSet' : 'secretMissing'));
}

$('secret-form').addEventListener('submit', (event) => {
  event.preventDefault();
  doing($('secret-form').querySelector('button'), $('secret-state'), async () => {
    const reply = await ask('link/secret', { secret: $('secret').value.trim() });
    if (reply.code === 200) { $('secret').value = ''; say($('secret-state'), 'is-good', t('secretKept')); } else say($('secret-state'), 'is-bad', ...refusal(reply));
  });
});

$('target-form').addEventListener('submit', (event) => {
  event.preventDefault();
  doing($('target-form').querySelector('button'), $('target-state'), async () => {
    const [target, secret] = $('target').value.split('.');
    const reply = await ask('targets/password', { target, secret, password: $('target-password').value });
    if (reply.code === 200) { $('target-password').value = ''; say($('target-state'), 'is-good', t('secretKept')); } else say($('target-state'), 'is-bad', ...refusal(reply));
  });
});
