import { Select, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '@/components/form/FormDrawer';
import { NumberField } from '@/components/form/NumberField';
import { useNow } from '@/components/useNow';
import { LOOP_WRITES } from '../api';
import type { SavedSection, TaskDraft } from '../api';
import { isCustom, taskBroken, withoutForeign } from '../model/frame';
import type { Target } from '../model/frame';
import { momentIn } from '../model/message';
import { withRow } from '../model/rows';
import { fieldNamed, rowOf, TASK_FIELDS, valuesOf } from '../model/sections';
import type { Row, Values } from '../model/sections';
import { ChangedNotice } from './ChangedNotice';
import { Preview } from './Preview';
import { SectionInput } from './SectionInput';
import { useSectionForm } from './useSectionForm';

interface Props {
  deviceId: number;
  draft: TaskDraft;
  row: Row;
  /** Name of the task that is changed; null for a new one. */
  was: string | null;
  targets: readonly Target[];
  onSaved: (saved: SavedSection<TaskDraft>) => void;
  onClose: () => void;
}

const FIELDS = new Map(TASK_FIELDS.map((field) => [field.name, field]));
const nameOf = (row: Row): string => String(row.name);
const SECOND_MS = 1000;

/** Fields that the kind of message and content leave, behind name, interval and slave. */
function fieldsOf(values: Values): readonly string[] {
  const custom = isCustom(values);
  const isCoil = !custom && values.reg_type === '0X';
  const { content } = values;
  return [
    'message',
    ...(custom ? [] : ['reg_type', 'offset']),
    ...(isCoil ? [] : ['content']),
    ...(content === 'number' && !isCoil ? ['data_type', 'endian'] : []),
    ...(content === 'real_time' ? ['time_format', 'time_zone'] : []),
    ...((content === 'real_time' || content === 'string') && !custom ? ['endian'] : []),
    ...(content === 'real_time' && !custom ? [] : ['value']),
    ...(custom ? ['checksum', 'expect', ...(values.expect === '' ? [] : ['answer_timeout_ms'])] : []),
  ];
}

/** One loop-write task, with the bytes that it would send. */
export default function TaskDrawer({ deviceId, draft, row, was, targets, onSaved, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const now = useNow(SECOND_MS);
  const [known, setKnown] = useState(was);
  const targetOf = ({ slave }: Values): Target | undefined => targets.find(({ name }) => name === slave);
  const moment = (zone: string): ReturnType<typeof momentIn> => momentIn(zone, now);
  const { form, changed, overwrite, input } = useSectionForm({
    section: LOOP_WRITES,
    deviceId,
    draft,
    values: valuesOf(TASK_FIELDS, row),
    broken: (values) => {
      const others = draft.tasks.filter((task) => nameOf(task) !== known);
      const isTwice = others.some((task) => nameOf(task) === values.name);
      return {
        ...taskBroken(values, targetOf(values), moment),
        ...(isTwice ? { name: { rule: 'nameTwice' } } : {}),
      };
    },
    change: (section, values) => ({
      ...section,
      tasks: withRow(section.tasks, known, rowOf(TASK_FIELDS, withoutForeign(values)), nameOf),
    }),
    placeOf: (path, section, values) => {
      const at = section.tasks.findIndex((task) => nameOf(task) === values.name);
      const name = fieldNamed(path, LOOP_WRITES.prefix, at);
      return name !== null && FIELDS.has(name) ? name : null;
    },
    onSaved: (saved, values) => {
      setKnown(String(values.name));
      onSaved(saved);
    },
    onClose,
  });
  const values = form.fields.getValues();
  const fitting = withoutForeign(values);
  const slaves = targets.map(({ name, title }) => ({ value: name, label: title === '' ? name : `${title} (${name})` }));
  const toContent = (content: unknown): void => {
    input('content').onChange(content);
    const number = Number(values.value);
    const isNumber = content === 'number';
    const next = isNumber ? (values.value === '' || Number.isNaN(number) ? '' : number) : String(values.value);
    input('value').onChange(content === 'real_time' ? '' : next);
  };
  const field = (name: string): ReactElement | null => {
    const described = FIELDS.get(name);
    if (described === undefined) return null;
    const { dataPath, ...given } = input(name);
    if (name === 'value') return <ValueInput key={name} fitting={fitting} dataPath={dataPath} {...given} />;
    if (name === 'slave')
      return (
        <Select
          key={name}
          label={t('fieldbus:task.slave')}
          description={t('fieldbus:task.slaveHint')}
          withAsterisk
          data={slaves}
          value={given.value === '' ? null : String(given.value)}
          onChange={(next) => given.onChange(next ?? '')}
          error={given.error}
          data-path={dataPath}
          data-testid="field-slave"
          searchable
          allowDeselect={false}
          nothingFoundMessage={t('base:table.noMatch')}
        />
      );
    const onChange = name === 'content' ? toContent : given.onChange;
    return <SectionInput key={name} field={described} {...given} dataPath={dataPath} onChange={onChange} />;
  };
  return (
    <FormDrawer
      title={was === null ? t('fieldbus:task.add') : t('fieldbus:task.edit', { name: was })}
      form={form}
      onClose={onClose}
      save={t('fieldbus:draft.save')}
      proposed={was === null}
      size={560}
    >
      {changed === null ? null : (
        <ChangedNotice
          changed={changed}
          onOverwrite={overwrite}
          onDiscard={() => {
            form.release();
            onClose();
          }}
        />
      )}
      {['name', 'enable', 'interval_s', 'slave', ...fieldsOf(values)].map(field)}
      <Preview task={fitting} target={targetOf(values)} moment={moment} />
    </FormDrawer>
  );
}

interface ValueProps {
  fitting: Values;
  value: unknown;
  error: ReactNode;
  dataPath: string;
  onChange: (value: unknown) => void;
}

/** The content, by its kind. */
function ValueInput({ fitting, value, error, dataPath, onChange }: ValueProps): ReactElement {
  const { t } = useTranslation();
  const shared = {
    label: t('fieldbus:task.value'),
    description: t(`fieldbus:valueHint.${fitting.reg_type === '0X' ? 'coil' : String(fitting.content)}`),
    error,
    'data-path': dataPath,
    'data-testid': 'field-value',
  };
  if (fitting.content === 'number')
    return <NumberField {...shared} withAsterisk value={value as number | string} onChange={onChange} />;
  const text = { ...shared, value: String(value), autoComplete: 'off' };
  return fitting.content === 'hex' ? (
    <Textarea {...text} withAsterisk autosize minRows={2} onChange={(event) => onChange(event.currentTarget.value)} />
  ) : (
    <TextInput {...text} onChange={(event) => onChange(event.currentTarget.value)} />
  );
}
