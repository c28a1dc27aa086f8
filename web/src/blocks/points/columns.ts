import type { TFunction } from 'i18next';
import type { Column, Option, Written } from '@/components/sheet/types';
import type { FormField, ProtocolForm } from '@/api/generated/types.gen';
import { itemTypes, withItem } from './item';
import { COORDINATES } from './kinds';
import { typesOf } from './addressRules';
import { addressField, areasOf } from './facts';
import { DEFAULTS, withField } from './point';
import type { Fields, Point } from './point';

export const GROUPS = ['basic', 'collect', 'calculate', 'alarm'] as const;
export type Group = (typeof GROUPS)[number];

type Make = (t: TFunction, slave: Slave) => Column<Point>;

/** What of a slave its columns depend on. */
export interface Slave {
  form: ProtocolForm | undefined;
  options: Fields;
  language: string;
}

/** Pasted texts that are none of the choices, no number and so on stay in their cells, where the rules mark them. */
const keepAs =
  (name: string) =>
  (point: Point, said: string): Point =>
    withField(point, name, said.trim());
const show = (value: unknown): string => (value === undefined || value === null ? '' : String(value));
const valueOf = (point: Point, name: string): unknown => point.fields[name] ?? DEFAULTS[name];

function text(name: string, width: number, more: Partial<Column<Point>> = {}): Make {
  return (t) => ({
    key: name,
    title: t(`base:point.field.${name}`),
    kind: 'text',
    width,
    read: (point) => show(point.fields[name]),
    write: (point, said): Written<Point> => ({
      row: withField(point, name, said.trim() === '' ? undefined : said.trim()),
    }),
    ...more,
  });
}

function numeric(name: string, width = 96, isInteger = false): Make {
  return (t) => ({
    key: name,
    title: t(`base:point.field.${name}`),
    kind: 'number',
    width,
    read: (point) => show(valueOf(point, name)),
    write: (point, said) => {
      const words = said.trim();
      if (words === '') return { row: withField(point, name, undefined) };
      const value = Number(words);
      if (!Number.isFinite(value) || (isInteger && !Number.isSafeInteger(value)))
        return { fault: t(isInteger ? 'base:point.fault.whole' : 'base:point.fault.number') };
      return { row: withField(point, name, value) };
    },
    keep: keepAs(name),
  });
}

function select(
  name: string,
  width: number,
  optionsOf: (t: TFunction, slave: Slave) => readonly Option[],
  isNumber = false,
): Make {
  return (t, slave) => ({
    key: name,
    title: t(`base:point.field.${name}`),
    kind: 'select',
    width,
    options: optionsOf(t, slave),
    read: (point) => show(valueOf(point, name)),
    write: (point, said) => ({ row: withField(point, name, said === '' ? undefined : isNumber ? Number(said) : said) }),
    keep: keepAs(name),
  });
}

function toggle(name: string, width = 84): Make {
  return (t) => ({
    key: name,
    title: t(`base:point.field.${name}`),
    kind: 'switch',
    width,
    read: (point) =>
      point.fields[name] === true ? '1' : typeof point.fields[name] === 'string' ? show(point.fields[name]) : '0',
    write: (point, said) => ({ row: withField(point, name, said === '1') }),
    keep: keepAs(name),
  });
}

type Applies = (kind: string, point: Point) => boolean;

/** Greyed for points of which it says nothing; what is stored stays. */
function where(applies: Applies, make: Make): Make {
  return (t, slave) => ({
    ...make(t, slave),
    readOnly: (point) => !applies(show(valueOf(point, 'ds_type')), point),
  });
}

const hasAlarm: Applies = (kind) => kind === 'num' || kind === 'cal' || kind === 'swh';
/** It can be switched off wherever it is on. */
const canSwitch: Applies = (kind, point) => hasAlarm(kind, point) || point.fields.alarm_enable === true;
const hasLimits: Applies = (kind) => kind === 'num' || kind === 'cal';
const hasLevels: Applies = (kind, point) => hasLimits(kind, point) && valueOf(point, 'alarm_mode') === 'multi';
const isSwitch: Applies = (kind) => kind === 'swh';

const words = (names: readonly string[], prefix: string) => (t: TFunction) =>
  names.map((value) => ({ value, label: t(prefix + value) }));

/** A switch's value is a number where it reads as one. */
function level(name: string): Make {
  return text(name, 90, {
    write: (point, said) => {
      const typed = said.trim();
      return {
        row: withField(point, name, typed === '' ? undefined : Number.isFinite(Number(typed)) ? Number(typed) : typed),
      };
    },
  });
}

const PAIRS = ['onOff', 'openClosed', 'runningStopped', 'alarmNormal', 'remoteLocal'] as const;
/** Between the two words of a pair that is not among those. */
const BESIDE = ' / ';

/** Both words of a switch at once: common pairs to pick, of which the first is the language's own. Others stand in their own columns. */
const positionWords: Make = (t) => {
  const pairs = PAIRS.map((name) => ({ on: t(`base:point.pair.${name}.on`), off: t(`base:point.pair.${name}.off`) }));
  const join = (on: string, off: string): string => `${on}${BESIDE}${off}`;
  return {
    key: 'position_words',
    title: t('base:point.field.position_words'),
    kind: 'select',
    width: 150,
    options: pairs.map(({ on, off }, index) => ({
      value: index === 0 ? '' : join(on, off),
      label: index === 0 ? `${join(on, off)} (${t('base:point.usualPair')})` : join(on, off),
    })),
    readOnly: ({ fields: { ds_type } }) => ds_type !== 'swh' && ds_type !== 'cal',
    read: ({ fields: { on_text, off_text } }) => (on_text || off_text ? join(show(on_text), show(off_text)) : ''),
    write: (point, said) => {
      const [on = '', off = ''] = said.split(BESIDE);
      return { row: withField(withField(point, 'on_text', on || undefined), 'off_text', off || undefined) };
    },
  };
};

const selector: Make = (t) => ({
  key: 'selector',
  title: t('base:point.field.selector'),
  kind: 'text',
  width: 180,
  placeholder: t('base:point.selectorExample'),
  read: ({ fields: { selector: said } }) =>
    typeof said === 'string'
      ? said
      : Object.entries((said ?? {}) as Record<string, string>)
          .map(([value, label]) => `${value}=${label}`)
          .join('; '),
  keep: keepAs('selector'),
  write: (point, said) => {
    const parts = said
      .split(/[;\uFF1B\n]/)
      .map((part) => part.trim())
      .filter((part) => part !== '');
    const result: Record<string, string> = {};
    for (const part of parts) {
      const [value = '', ...label] = part.split('=');
      if (!Number.isFinite(Number(value)) || value.trim() === '' || label.join('=').trim() === '')
        return { fault: t('base:point.fault.selector') };
      result[value.trim()] = label.join('=').trim();
    }
    return { row: withField(point, 'selector', parts.length === 0 ? undefined : result) };
  },
});

/** A column of the address, as the protocol's form describes it. */
function address(field: FormField): Make {
  const name = addressField(field.name);
  const title = (slave: Slave): string => (slave.language.startsWith('zh') ? field.zh : field.en);
  const made: Make = (t, slave) => {
    if (field.kind === 'integer') return numeric(name, 110, true)(t, slave);
    if (field.kind === 'switch') return toggle(name)(t, slave);
    const items = Object.entries(slave.form?.items ?? {});
    if (name === 'item' && items.length > 0) {
      const label = ([value, item]: (typeof items)[number]): string =>
        `${value} · ${slave.language.startsWith('zh') ? item.zh : item.en}`;
      const made = select(name, 190, () => items.map((each) => ({ value: each[0], label: label(each) })))(t, slave);
      return {
        ...made,
        write: (point, said): Written<Point> => ({
          row: withItem(point, said, slave.form?.items ?? {}, slave.language),
        }),
      };
    }
    if (field.kind === 'choice') {
      const areas =
        name === 'area' && slave.form !== undefined
          ? Object.keys(areasOf(slave.form, String(slave.options.model ?? '')))
          : [];
      const choices = areas.length > 0 ? areas : (field.choices ?? []);
      return select(name, 110, () => choices.map((value) => ({ value, label: value })))(t, slave);
    }
    return text(name, 110)(t, slave);
  };
  return (t, slave) => ({ ...made(t, slave), title: title(slave) });
}

const NAME = text('ds_name', 150, { maxLength: 64 });

const GROUP_COLUMNS: Readonly<Record<Exclude<Group, 'basic'>, readonly Make[]>> = {
  collect: [
    numeric('capture_freq', 136, true),
    numeric('collect_delay_ms', 140, true),
    select('collect_mode', 120, words(['cycle', 'on_demand'], 'base:point.collectMode.')),
    select('priority', 110, words(['alarm', 'trend', 'counter'], 'base:point.priority.')),
    select('record', 130, words(['0', '1', '2'], 'base:point.record.'), true),
    (t, slave) => ({ ...numeric('deadband', 124)(t, slave), hint: t('base:point.deadbandHint') }),
  ],
  calculate: [
    numeric('ratio'),
    numeric('bias'),
    numeric('tofixed', 90, true),
    select('coordinates', 150, words(COORDINATES, 'base:point.coordinates.')),
    numeric('min'),
    numeric('max'),
    level('on_value'),
    level('off_value'),
    positionWords,
    text('on_text', 100, { maxLength: 20 }),
    text('off_text', 100, { maxLength: 20 }),
    selector,
    text('formula', 220, { maxLength: 4000 }),
    text('script', 110, { maxLength: 64 }),
  ],
  alarm: [
    where(canSwitch, toggle('alarm_enable')),
    where(hasLimits, select('alarm_mode', 110, words(['single', 'multi'], 'base:point.alarmMode.'))),
    where(hasLevels, numeric('alarm_lower2', 100)),
    where(hasLimits, numeric('alarm_lower', 100)),
    where(hasLimits, numeric('alarm_upper', 100)),
    where(hasLevels, numeric('alarm_upper2', 100)),
    where(isSwitch, select('alarm_state', 110, words(['1', '0'], 'base:point.alarmState.'), true)),
    where(hasLimits, numeric('alarm_deadband', 110)),
    where(hasAlarm, numeric('alarm_delay_s', 110, true)),
    where(hasAlarm, numeric('alarm_off_delay_s', 120, true)),
    (t) => ({
      key: 'line_color',
      title: t('base:point.field.line_color'),
      kind: 'color',
      width: 110,
      read: (point) => show(point.fields.line_color),
      write: (point, said) => ({ row: withField(point, 'line_color', said === '' ? undefined : said) }),
      keep: keepAs('line_color'),
    }),
    toggle('gis_show'),
  ],
};

/** Columns of a group, the identifier first; of the basic one with the address as the slave's protocol has it. */
export function columnsOf(group: Group, t: TFunction, slave: Slave): Column<Point>[] {
  const makes = group === 'basic' ? basic(slave) : GROUP_COLUMNS[group];
  return [NAME, ...makes].map((make) => make(t, slave));
}

function basic({ form }: Slave): Make[] {
  const types = typesOf(form?.name ?? '').map((value) => ({ value, label: value }));
  return [
    text('ds_title', 160, { maxLength: 200 }),
    select('ds_type', 96, words(['num', 'str', 'swh', 'loc', 'cal'], 'base:point.type.')),
    select('rw', 96, words(['readonly', 'writeonly', 'readwrite'], 'base:point.rw.')),
    dataType(form, types),
    ...(form?.address ?? []).map(address),
    text('unit', 80, { maxLength: 20 }),
  ];
}

/** Of a point with a meter's item the item says the type: it is shown, and cannot be chosen. */
function dataType(form: Slave['form'], types: readonly Option[]): Make {
  const typeOf = ({ fields }: Point): string | undefined => {
    const item = form?.items[String(fields.item ?? '')];
    return item === undefined ? undefined : itemTypes(item).data_type;
  };
  return (t, slave) => {
    const made = select('data_type', 100, () => types)(t, slave);
    const write = (point: Point, said: string): Written<Point> =>
      typeOf(point) === undefined ? (made.write?.(point, said) ?? { row: point }) : { row: point };
    return {
      ...made,
      write,
      readOnly: (point) => typeOf(point) !== undefined,
      read: (point) => typeOf(point) ?? made.read(point),
    };
  };
}

/** Columns of all groups by the fields of a point, for the form of one row. */
export function allColumns(t: TFunction, slave: Slave): { group: Group; columns: Column<Point>[] }[] {
  return GROUPS.map((group) => ({ group, columns: columnsOf(group, t, slave).slice(group === 'basic' ? 0 : 1) }));
}

/** Columns of a point as a document has it, without what the cloud alone keeps. */
export function documentColumns(t: TFunction, slave: Slave): Column<Point>[] {
  return (['basic', 'collect', 'calculate'] as const).flatMap((group) =>
    columnsOf(group, t, slave).slice(group === 'basic' ? 0 : 1),
  );
}
