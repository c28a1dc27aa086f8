import { SegmentedControl, Textarea } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '@/components/form/FormDrawer';
import { useApiForm } from '@/components/form/useApiForm';
import type { AlarmRow } from '../api';
import { UNHANDLED } from '../handling';
import type { Handling } from '../handling';
import { AlarmFacts } from './AlarmFacts';
import { AlarmActions, AlarmMore } from './AlarmMore';

/** As in the API. */
const MAX_NOTE = 500;

interface Props<Saved> {
  title: string;
  /** What can be chosen; the first is proposed. */
  choices: readonly Handling[];
  /** The event, when it is one. */
  row?: AlarmRow;
  save: (status: Handling, note: string) => Promise<Saved>;
  onSaved: (saved: Saved) => void;
  onClose: () => void;
}

/** Say of events that they are handled or false alarms, with a note; or take that back, and why. */
export function HandleDrawer<Saved>({ title, choices, row, save, onSaved, onClose }: Props<Saved>): ReactElement {
  const { t } = useTranslation();
  const [first = UNHANDLED] = choices;
  const needsNote = choices.includes(UNHANDLED);
  const form = useApiForm<{ status: string; note: string }, Saved>({
    values: { status: String(first), note: '' },
    validate: {
      note: (note) => {
        if (needsNote && note.trim() === '') return t('events:handle.noteNeeded');
        return note.length > MAX_NOTE ? t('events:handle.noteLong', { most: MAX_NOTE }) : null;
      },
    },
    save: ({ status, note }) => save(Number(status) as Handling, note.trim()),
    onSaved,
  });
  return (
    <FormDrawer
      title={title}
      form={form}
      onClose={onClose}
      size={row === undefined ? undefined : 560}
      proposed={!needsNote}
      save={needsNote ? t('events:handle.reopen') : undefined}
    >
      {row === undefined ? null : <AlarmActions row={row} />}
      {row === undefined ? null : <AlarmFacts row={row} />}
      {choices.length < 2 ? null : (
        <SegmentedControl
          fullWidth
          aria-label={t('events:alarm.status')}
          data={choices.map((status) => ({ value: String(status), label: t(`base:code.alarmLog.${status}`) }))}
          {...form.fields.getInputProps('status')}
          data-testid="handle-status"
        />
      )}
      <Textarea
        label={needsNote ? t('events:handle.why') : t('events:alarm.note')}
        required={needsNote}
        autosize
        minRows={3}
        maxRows={8}
        {...form.fields.getInputProps('note')}
        data-testid="handle-note"
      />
      {row === undefined ? null : <AlarmMore row={row} />}
    </FormDrawer>
  );
}
