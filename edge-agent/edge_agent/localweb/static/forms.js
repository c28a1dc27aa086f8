'use strict';
// Fields of a protocol's own options and addresses, drawn from the protocols' schemas.
const typedIn = {}; // by place and protocol: another device has other fields of the same name
let about = null;

const words = (schema) => schema['x-label'] ?? schema.anyOf?.[0]?.['x-label'] ?? {};
const protocolOf = (name) => about.protocols.find((one) => one.name === name);

const usual = (portName, protocol) => about.slaves.find((slave) => slave.port === portName && slave.protocol === protocol);

function form(box, place, protocol, schema, mayRest) {
  const whole = Object.values(schema.$defs ?? {}).find((one) => one.properties) ?? schema, known = typedIn[place + protocol] ??= {};
  box.replaceChildren();
  return Object.entries(whole.properties ?? {}).map(([name, one]) => {
    const kind = one.enum || one.type ? one : one.anyOf?.[0] ?? one, label = make('label', '', words(one)[language] ?? name);
    const needed = !mayRest && whole.required?.includes(name), fallback = one.default ?? '';
    let input;
    if (kind.enum || kind.type === 'boolean') {
      input = make('select');
      fill(input, [...(needed ? [] : [['', fallback === '' ? '–' : `– (${fallback})`]]), ...(kind.enum ?? [true, false]).map((value) => [String(value), String(value)])]);
    } else {
      input = make('input'); input.autocomplete = 'off'; input.placeholder = name === 'password' ? '' : fallback;
      if (name === 'password') { input.type = 'password'; input.autocomplete = 'new-password'; }
      if (kind.type === 'integer') { input.inputMode = 'numeric'; if (kind.maximum !== undefined) input.title = `${kind.minimum} … ${kind.maximum}`; }
    }
    if (known[name] !== undefined && (input.tagName !== 'SELECT' || [...input.options].some((option) => option.value === known[name]))) input.value = known[name];
    input.addEventListener('input', () => { known[name] = input.value; });
    label.append(input); box.append(label);
    return { name, label: words(one)[language] ?? name, input };
  });
}

const texted = (fields) => Object.fromEntries(fields.map(({ name, input }) => [name, input.value.trim()]).filter(([, text]) => text));

function drawOptions(place, portName, protocol) {
  const chosen = protocolOf(protocol), like = usual(portName, protocol), box = $(place + '-options'), before = box.dataset.of;
  const fields = chosen ? form(box, 'options', protocol, chosen.options, Boolean(like)) : [];
  $(place + '-options-box').hidden = !fields.length;
  box.dataset.of = portName + protocol;
  if (before !== box.dataset.of) $(place + '-options-box').open = !like && Boolean(Object.values(chosen?.options.$defs ?? {}).some((one) => one.required?.length));
  put($(place + '-options-hint'), like ? t('optionsLike', like.title) : '');
  return fields;
}
