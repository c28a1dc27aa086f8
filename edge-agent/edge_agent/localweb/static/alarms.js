'use strict';
// Alarms of the rules that this gateway evaluates, and what has happened last.
const shownValue = (value) => value === null ? '–' : value === true ? t('on') : value === false ? t('off') : String(value);

async function drawAlarms() {
  const { code, data } = await ask('alarms');
  if (code !== 200) { put($('alarms-none'), data.error.rule); $('alarms-none').hidden = false; return; }
  put($('alarms-none'), t('noAlarms'));
  $('alarms-none').hidden = data.open.length > 0;
  $('alarms-open').hidden = data.open.length === 0;
  table($('alarms-open'), [t('alarm'), t('since'), t('value')], data.open.map((one) => [one.title, moment(one.raised_ms), shownValue(one.value)]));
  table($('alarms-events'), [t('time'), t('event'), t('alarm'), t('value'), t('reason')], data.events.map((one) => [
    moment(one.t_ms), word('e_' + one.kind) ?? one.kind, one.title || '–', one.kind === 'linkage' ? '–' : shownValue(one.value), one.code ? reasonWord('c_', one.code) : one.kind === 'linkage' ? t('linkageDone') : '–',
  ]));
}

const openAlarms = () => drawAlarms();
