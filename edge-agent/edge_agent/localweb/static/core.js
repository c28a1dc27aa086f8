'use strict';
// What every part of the page uses: words, numbers, asking the gateway, small pieces of the document.
const $ = (id) => document.getElementById(id);
const kept = (key, value) => { try { if (value === undefined) return localStorage.getItem(key); localStorage.setItem(key, value); } catch { /* private mode */ } return null; };
const TIMEOUT_MS = 8000, LONG_TIMEOUT_MS = 70000;
let language = kept('language') || 'zh';
let tab = kept('tab') || 'values', signedIn = false;
let points = [], slaves = [], status = null, values = new Map(), serverMs = 0;

const t = (key, ...parts) => (TEXTS[language][key] ?? key).replace(/\{(\d)\}/g, (_, n) => parts[n]);
const word = (key) => TEXTS[language][key];
// A reason of the gateway in words; one that this page does not know as a general sentence with its code.
const reasonWord = (kind, code) => word(kind + code) ?? t('otherReason', code);

function make(kind, className, text) {
  const node = document.createElement(kind);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function put(node, text) { if (node.textContent !== text) node.textContent = text; }

function press(text, className, work) {
  const button = make('button', className, text);
  button.type = 'button';
  button.addEventListener('click', work);
  return button;
}

async function ask(path, body) {
  const options = { signal: AbortSignal.timeout(body === undefined ? TIMEOUT_MS : LONG_TIMEOUT_MS), credentials: 'same-origin' };
  if (body !== undefined) Object.assign(options, { method: 'POST', headers: { 'X-Edge': '1', 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  const reply = await fetch('api/' + path, options);
  const data = await reply.json();
  if (reply.status === 401 && path !== 'login') { show(false, signedIn ? t('expired') : ''); throw new Error('signed out'); }
  return { code: reply.status, data };
}

// ---- words and numbers

function span(seconds) {
  if (seconds < 100) return t('s', Math.max(0, Math.round(seconds)));
  if (seconds < 6000) return t('min', Math.round(seconds / 60));
  if (seconds < 172800) return t('h', Math.round(seconds / 3600));
  return t('d', Math.round(seconds / 86400));
}

const ago = (ms) => ms ? t('ago', span((serverMs - ms) / 1000)) : t('never');
const moment = (ms) => ms ? new Date(ms).toLocaleString(language, { hour12: false }) : t('never');
const bytes = (n) => n < 1e6 ? (n / 1e3).toFixed(1) + ' kB' : n < 1e9 ? (n / 1e6).toFixed(1) + ' MB' : (n / 1e9).toFixed(2) + ' GB';
const percent = (n) => (n < 10 ? n.toFixed(1) : Math.round(n)) + ' %';
const short = (hash) => hash ? hash.slice(0, 12) : '–';

// ---- pieces of the document

function fill(select, entries, keep) {
  const before = keep ? select.value : '';
  select.replaceChildren(...entries.map(([value, text]) => { const option = make('option', '', text); option.value = value; return option; }));
  if (entries.some(([value]) => value === before)) select.value = before;
}

function facts(node, pairs) {
  while (node.children.length > pairs.length * 2) node.lastChild.remove();
  while (node.children.length < pairs.length * 2) node.append(make(node.children.length % 2 ? 'dd' : 'dt'));
  pairs.forEach(([name, text, kind], index) => {
    put(node.children[2 * index], name);
    put(node.children[2 * index + 1], String(text));
    node.children[2 * index + 1].className = kind || '';
  });
}

function table(node, head, rows) {
  const line = (kind, cells) => { const row = make('tr'); row.append(...cells.map((text) => make(kind, '', String(text)))); return row; };
  const top = make('thead'), body = make('tbody');
  top.append(line('th', head));
  body.append(...rows.map((cells) => line('td', cells)));
  node.replaceChildren(top, body);
}

function say(outcome, kind, ...lines) {
  const text = lines.join('\n'), name = 'outcome' + (kind ? ' ' + kind : '');
  put(outcome, text);
  if (outcome.className !== name) outcome.className = name;
}

const broken = (error) => [t('lost'), error.message];

async function doing(button, outcome, work) {
  button.disabled = true; say(outcome, '', t('working'));
  try { await work(); } catch (error) { say(outcome, 'is-bad', ...broken(error)); }
  button.disabled = false;
}

// Ask once more before something is done; title and act are texts.
function sure(title, act, pairs) {
  put($('sure-title'), title); put($('sure-go'), act);
  facts($('sure-facts'), pairs);
  const dialog = $('sure');
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true }));
}
for (const [id, answer] of [['sure-go', 'yes'], ['sure-cancel', '']]) $(id).addEventListener('click', () => $('sure').close(answer));
