import type { TFunction } from 'i18next';
import type { Column, Option } from '@/components/sheet/types';
import { valueAt, withValue } from './lines';
import type { Line } from './lines';
import type { FormField } from '@/api/generated/types.gen';

type Made = Column<Line>;

const show = (value: unknown): string => (value === undefined || value === null ? '' : String(value));

/** Makes columns that read and write the value at a path of a row. */
class Columns {
  constructor(private readonly t: TFunction) {}

  text(path: string, width: number, title = this.t(`templates:field.${path}`)): Made {
    return {
      key: path,
      title,
      kind: 'text',
      width,
      read: ({ fields }) => show(valueAt(fields, path)),
      write: (line, said) => ({ row: withValue(line, path, said.trim() === '' ? undefined : said.trim()) }),
    };
  }

  number(path: string, width = 96, title = this.t(`templates:field.${path}`)): Made {
    return {
      key: path,
      title,
      kind: 'number',
      width,
      read: ({ fields }) => show(valueAt(fields, path)),
      write: (line, said) => {
        const words = said.trim();
        const value = Number(words);
        if (words !== '' && !Number.isFinite(value)) return { fault: this.t('templates:fault.number') };
        return { row: withValue(line, path, words === '' ? undefined : value) };
      },
    };
  }

  choice(
    path: string,
    width: number,
    options: readonly Option[],
    title = this.t(`templates:field.${path}`),
    numeric = false,
  ): Made {
    return {
      key: path,
      title,
      kind: 'select',
      width,
      options: [{ value: '', label: '' }, ...options],
      read: ({ fields }) => show(valueAt(fields, path)),
      write: (line, said) => ({ row: withValue(line, path, said === '' ? undefined : numeric ? Number(said) : said) }),
    };
  }
}

const plain = (values: readonly string[]): readonly Option[] => values.map((value) => ({ value, label: value }));

export function portColumns(t: TFunction): readonly Made[] {
  const make = new Columns(t);
  return [
    make.text('name', 120),
    make.choice('type', 90, plain(['COM', 'NET']), t('templates:field.port_type')),
    make.text('device', 130),
    make.number('baud', 90),
    make.choice('parity', 80, plain(['N', 'O', 'E'])),
    make.choice('data_bits', 84, plain(['7', '8']), undefined, true),
    make.choice('stop_bits', 84, plain(['1', '2']), undefined, true),
    make.text('host', 130),
    make.number('port', 90, t('templates:field.net_port')),
    make.number('capture_cycle_ms', 140),
    make.number('min_interval_ms', 144),
  ];
}

export interface SlaveChoices {
  ports: readonly string[];
  protocols: readonly Option[];
  /** Point templates by id. */
  templates: readonly Option[];
  /** Options of the protocols that the slaves speak, each once. */
  options: readonly FormField[];
  isChinese: boolean;
}

/** Of the slaves of a gateway template; template is the point template that a slave has. */
export function slaveColumns(
  t: TFunction,
  { ports, protocols, templates, options, isChinese }: SlaveChoices,
): readonly Made[] {
  const make = new Columns(t);
  return [
    make.text('name', 130),
    make.text('title', 150),
    make.choice('port', 110, plain(ports), t('templates:field.on_port')),
    make.choice('protocol', 150, protocols),
    make.text('address', 110, t('templates:field.slave_address')),
    make.choice('template', 220, templates),
    make.number('capture_cycle_ms', 140),
    make.number('response_timeout_ms', 168),
    make.number('retries', 84),
    make.number('storage_cycle_s', 164),
    ...options.map((field) => optionColumn(make, field, isChinese ? field.zh : field.en)),
  ];
}

const SWITCH: readonly Option[] = [
  { value: 'true', label: '✓' },
  { value: 'false', label: '–' },
];

/** An option as the gateway describes it; empty: its default. */
function optionColumn(make: Columns, { name, kind, choices }: FormField, title: string): Made {
  const path = `options.${name}`;
  if (kind === 'choice') return make.choice(path, 130, plain(choices ?? []), title);
  if (kind === 'integer') return make.number(path, 130, title);
  if (kind !== 'switch') return make.text(path, 130, title);
  const column = make.choice(path, 110, SWITCH, title);
  return {
    ...column,
    write: (line, said) => ({ row: withValue(line, path, said === '' ? undefined : said === 'true') }),
  };
}
