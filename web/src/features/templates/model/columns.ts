import type { TFunction } from 'i18next';
import type { Column, Option } from '@/components/sheet/types';
import type { FormField, ProtocolForm } from '../api';
import { valueAt, withValue } from './lines';
import type { Line } from './lines';

type Made = Column<Line>;

const DATA_TYPES = ['uint8', 'int8', 'uint16', 'int16', 'uint32', 'int32', 'uint64', 'int64', 'float', 'double', 'var', 'string'];
const POINT_TYPES = ['num', 'str', 'swh', 'cal'];
const RECORDS = ['0', '1', '2'];
const ACCESS = ['readonly', 'writeonly', 'readwrite'];

/** What a field of a point is when the document does not say it. */
const DEFAULTS: Readonly<Record<string, unknown>> = { type: 'num', rw: 'readonly', data_type: 'uint16', record: 1 };

const show = (value: unknown): string => (value === undefined || value === null ? '' : String(value));

/** Makes columns that read and write the value at a path of a row. */
class Columns {
  constructor(private readonly t: TFunction) {}

  text(path: string, width: number, title = this.t(`templates:field.${path}`)): Made {
    return {
      key: path, title, kind: 'text', width,
      read: ({ fields }) => show(valueAt(fields, path)),
      write: (line, said) => ({ row: withValue(line, path, said.trim() === '' ? undefined : said.trim()) }),
    };
  }

  number(path: string, width = 96, title = this.t(`templates:field.${path}`)): Made {
    return {
      key: path, title, kind: 'number', width,
      read: ({ fields }) => show(valueAt(fields, path)),
      write: (line, said) => {
        const words = said.trim();
        const value = Number(words);
        if (words !== '' && !Number.isFinite(value)) return { fault: this.t('templates:fault.number') };
        return { row: withValue(line, path, words === '' ? undefined : value) };
      },
    };
  }

  choice(path: string, width: number, options: readonly Option[], title = this.t(`templates:field.${path}`), numeric = false, isDefaulted = false): Made {
    return {
      key: path, title, kind: 'select', width, options: isDefaulted ? options : [{ value: '', label: '' }, ...options],
      read: ({ fields }) => show(valueAt(fields, path) ?? (isDefaulted ? DEFAULTS[path] : undefined)),
      write: (line, said) => {
        const value = said === '' ? undefined : numeric ? Number(said) : said;
        return { row: withValue(line, path, isDefaulted && value === DEFAULTS[path] ? undefined : value) };
      },
    };
  }

  toggle(path: string, title = this.t(`templates:field.${path}`)): Made {
    return {
      key: path, title, kind: 'switch', width: 84,
      read: ({ fields }) => (valueAt(fields, path) === true ? '1' : '0'),
      write: (line, said) => ({ row: withValue(line, path, said === '1' ? true : undefined) }),
    };
  }

  /** As the protocol's form describes a field. */
  formed(field: FormField, path: string, language: string, items: ProtocolForm['items']): Made {
    const title = language.startsWith('zh') ? field.zh : field.en;
    const known = Object.entries(items ?? {});
    if (field.name === 'item' && known.length > 0) {
      const label = (item: { zh: string; en: string }): string => (language.startsWith('zh') ? item.zh : item.en);
      return this.choice(path, 200, known.map(([value, item]) => ({ value, label: `${value} · ${label(item)}` })), title);
    }
    if (field.kind === 'switch') return this.toggle(path, title);
    if (field.kind === 'integer' || field.kind === 'number') return this.number(path, 110, title);
    if (field.choices) return this.choice(path, 120, field.choices.map((value) => ({ value, label: value })), title);
    return this.text(path, 120, title);
  }
}

const plain = (values: readonly string[]): readonly Option[] => values.map((value) => ({ value, label: value }));

/** Of the points of a protocol; before: what stands in front, such as the slave. */
export function pointColumns(t: TFunction, form: ProtocolForm | undefined, language: string, before: readonly Made[] = []): readonly Made[] {
  const make = new Columns(t);
  return [
    ...before,
    make.text('name', 130),
    make.text('title', 170),
    make.choice('type', 96, POINT_TYPES.map((value) => ({ value, label: t(`templates:type.${value}`) })), undefined, false, true),
    make.choice('rw', 96, ACCESS.map((value) => ({ value, label: t(`templates:rw.${value}`) })), undefined, false, true),
    ...(form?.address ?? []).map((field) => make.formed(field, `address.${field.name}`, language, form?.items ?? {})),
    make.choice('data_type', 100, plain(DATA_TYPES), undefined, false, true),
    make.text('unit', 80),
    make.number('ratio'),
    make.number('bias'),
    make.number('tofixed', 84),
    make.choice('record', 110, RECORDS.map((value) => ({ value, label: t(`templates:record.${value}`) })), undefined, true, true),
    make.number('deadband', 84),
    make.number('capture_freq', 110),
    make.number('min'),
    make.number('max'),
    make.text('formula', 180),
  ];
}

export function portColumns(t: TFunction): readonly Made[] {
  const make = new Columns(t);
  return [
    make.text('name', 120),
    make.choice('type', 90, plain(['COM', 'NET']), t('templates:field.port_type')),
    make.text('device', 130),
    make.number('baud', 90),
    make.choice('parity', 80, plain(['N', 'O', 'E'])),
    make.choice('data_bits', 80, plain(['7', '8']), undefined, true),
    make.choice('stop_bits', 80, plain(['1', '2']), undefined, true),
    make.text('host', 130),
    make.number('port', 90, t('templates:field.net_port')),
    make.number('capture_cycle_ms', 120),
    make.number('min_interval_ms', 120),
  ];
}

export interface SlaveChoices {
  ports: readonly string[];
  protocols: readonly Option[];
  /** Point templates by id. */
  templates: readonly Option[];
}

/** Of the slaves of a gateway template; template is the point template that a slave has. */
export function slaveColumns(t: TFunction, { ports, protocols, templates }: SlaveChoices): readonly Made[] {
  const make = new Columns(t);
  return [
    make.text('name', 130),
    make.text('title', 150),
    make.choice('port', 110, plain(ports), t('templates:field.on_port')),
    make.choice('protocol', 150, protocols),
    make.text('address', 110, t('templates:field.slave_address')),
    make.choice('template', 220, templates),
    make.number('capture_cycle_ms', 120),
    make.number('response_timeout_ms', 120),
    make.number('retries', 84),
    make.number('storage_cycle_s', 120),
  ];
}

/** The slave of a point of a gateway template. */
export function slaveOfPoint(t: TFunction, slaves: readonly string[]): Made {
  return new Columns(t).choice('slave', 130, plain(slaves));
}
