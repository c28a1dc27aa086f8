import type { FormField, ProtocolForm } from '@/api/generated/types.gen';
import { nameOf, valueAt, withValue } from './lines';
import type { Line } from './lines';

/** What a document need not say. */
const USUAL_CYCLE_MS = 1000;

/** Options of the protocols that the slaves speak, each once. */
export function optionsOf(slaves: readonly Line[], forms: readonly ProtocolForm[]): readonly FormField[] {
  const spoken = new Set(slaves.map(({ fields }) => fields.protocol));
  const byName = new Map<string, FormField>();
  for (const form of forms)
    if (spoken.has(form.name))
      for (const field of form.options)
        if (field.secret !== true && !byName.has(field.name)) byName.set(field.name, field);
  return [...byName.values()];
}

const filled = (line: Line, values: Readonly<Record<string, unknown>>): Line => {
  let made = line;
  for (const [path, value] of Object.entries(values))
    if (value !== undefined && value !== null && valueAt(made.fields, path) === undefined)
      made = withValue(made, path, value);
  return made;
};

/**
 * Slaves with what follows from a protocol that was chosen now: the usual address, rack and slot of a model, and the framing or
 * TCP port of the port that it has to itself. What somebody has entered stays.
 */
export function withProtocolDefaults(
  before: readonly Line[],
  after: readonly Line[],
  ports: readonly Line[],
  forms: readonly ProtocolForm[],
): { slaves: readonly Line[]; ports: readonly Line[] } {
  const known = new Map(before.map((line) => [line.key, line]));
  let [slaves, lines] = [after, ports];
  for (const line of after) {
    const was = known.get(line.key);
    const form = forms.find(({ name }) => name === line.fields.protocol);
    if (was === line || form === undefined) continue;
    const { connection } = form;
    const isNew =
      was === undefined || was.fields.protocol !== line.fields.protocol || was.fields.port !== line.fields.port;
    let made = isNew ? filled(line, { address: connection.address }) : line;
    for (const [name, choices] of Object.entries(connection.choices ?? {})) {
      const value = valueAt(line.fields, `options.${name}`);
      if (value === (was === undefined ? undefined : valueAt(was.fields, `options.${name}`))) continue;
      for (const [option, said] of Object.entries(choices[String(value)] ?? {}))
        made = withValue(made, `options.${option}`, said);
    }
    slaves = slaves.map((each) => (each.key === line.key ? made : each));
    const isAlone = after.filter(({ fields }) => fields.port === line.fields.port).length === 1;
    if (!isNew || !isAlone) continue;
    const { serial, tcp_port, capture_cycle_ms } = connection;
    const cycle = capture_cycle_ms === USUAL_CYCLE_MS ? {} : { capture_cycle_ms };
    lines = lines.map((port) => {
      if (nameOf(port) !== line.fields.port) return port;
      const kind = form.port_types.includes(String(port.fields.type)) ? String(port.fields.type) : '';
      if (kind === 'NET') return filled(port, { port: tcp_port, ...cycle });
      return kind === 'COM' && serial != null ? filled(port, { ...serial, ...cycle }) : port;
    });
  }
  return { slaves, ports: lines };
}
