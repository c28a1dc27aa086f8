'use strict';
// Writing one value: enter, confirm, outcome.
let writing = null;

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
    for (const on of [true, false]) { const option = make('option', '', position(point, on)); option.value = String(on); input.append(option); }
    input.value = String(!current?.[2]);
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

// What is to be written, or why nothing is.
function entered() {
  const { point, input } = writing, text = input.value.trim();
  if (point.kind === 'swh') return { value: text === 'true' };
  if (!text) return { fault: t('needValue') };
  if (point.kind !== 'num') return { value: text };
  const value = Number(text.replace(',', '.'));
  if (!Number.isFinite(value)) return { fault: t('needNumber') };
  if (point.min !== undefined && value < point.min) return { fault: t('atLeast', point.min) };
  if (point.max !== undefined && value > point.max) return { fault: t('atMost', point.max) };
  return { value };
}

async function advance() {
  const { point } = writing;
  if (writing.step === 'enter') {
    const { value, fault } = entered();
    if (fault) return step('enter', fault, 'is-bad');
    writing.value = value;
    return step('confirm', t('confirmText', shown(point.kind === 'num' && !point.selector ? { kind: 'num' } : point, writing.value) + ' ' + (point.unit ?? '')));
  }
  if (writing.step === 'done') return $('write').close();
  step('busy', t('writing'));
  try {
    const { code, data } = await ask('write', { slave: point.slave, point: point.name, value: writing.value });
    if (code === 200 && data.state === 'resp') step('done', t('done', shown(point, data.value) + ' ' + (point.unit ?? ''), data.latency_ms ?? 0), 'is-good');
    else if (data.outcome === 'unknown') { writing.since = data.t_ms; step('done', t('unknown', reasonWord('c_', data.code)), 'is-warn'); }
    else step('done', t('failed', data.code ? reasonWord('c_', data.code) : data.error ? translated(data.error.rule) ?? data.error.rule : reasonWord('c_', code)), 'is-bad');
  } catch (error) {
    step('done', t('failed', error.message), 'is-bad');
  }
}

// What became of a write without an answer: the next good value of its point says it, the wanted one at once.
const OTHER_AFTER_MS = 2000;
function settleWrite() {
  if (!writing?.since) return;
  const { point, value: wanted, since } = writing, [, ms, value, quality] = values.get(point.id) ?? [];
  if (quality !== 0 || value === null || value === undefined || !(ms > since)) return;
  const same = shown(point, value) === shown(point, wanted);
  if (!same && ms - since < OTHER_AFTER_MS) return;
  writing.since = null;
  step('done', t(same ? 'seenWritten' : 'seenOther', shown(point, value) + ' ' + (point.unit ?? ''), new Date(ms).toLocaleTimeString(language, { hour12: false })), same ? 'is-good' : 'is-bad');
}

// The second click of a double click would confirm what was only entered, and so would a key that is held.
$('write-go').addEventListener('click', (event) => { if (event.detail < 2) advance(); });
$('write').addEventListener('keydown', (event) => { if (event.repeat && event.key === 'Enter') event.preventDefault(); });
$('write-cancel').addEventListener('click', () => $('write').close());
$('write').querySelector('form').addEventListener('submit', (event) => { event.preventDefault(); if (writing.step !== 'busy') advance(); });
$('write').addEventListener('cancel', (event) => { if (writing?.step === 'busy') event.preventDefault(); });
