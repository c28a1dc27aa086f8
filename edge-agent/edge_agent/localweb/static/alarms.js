'use strict';
// Alarms of the rules that this gateway evaluates, what has happened last, rules of data exchange and timed tasks that run here.
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

async function drawExchange() {
  const { code, data } = await ask('exchange'), rules = code === 200 ? data.rules : [];
  put($('exchange-none'), code === 200 ? t('noExchange') : data.error.rule);
  $('exchange-none').hidden = rules.length > 0;
  $('exchange-rules').hidden = rules.length === 0;
  table($('exchange-rules'), [t('rule'), t('sourcePoint'), t('targetPoint'), t('time'), t('value'), t('outcome')], rules.map((one) => [
    one.title || '–', one.source, one.target, one.t_ms === null ? '–' : moment(one.t_ms), shownValue(one.value),
    one.problem ? reasonWord('c_', one.problem) : one.outcome === null ? t('noValueYet') : one.code ? reasonWord('c_', one.code) : t('linkageDone'),
  ]));
}

async function drawTasks() {
  const { code, data } = await ask('tasks'), tasks = code === 200 ? data.tasks : [];
  put($('tasks-none'), code === 200 ? t('noTasks') : data.error.rule);
  $('tasks-none').hidden = tasks.length > 0;
  $('tasks-list').hidden = tasks.length === 0;
  table($('tasks-list'), [t('task'), t('nextRun'), t('time'), t('outcome')], tasks.map((one) => [
    one.title || '–', one.next_ms === null ? '–' : moment(one.next_ms), one.t_ms === null ? '–' : moment(one.t_ms),
    one.problem ? reasonWord('c_', one.problem) : one.status === null ? t('noRunYet') : one.status === 'done' ? t('linkageDone') : reasonWord('c_', one.code),
  ]));
}

const openAlarms = () => Promise.all([drawAlarms(), drawExchange(), drawTasks()]);
