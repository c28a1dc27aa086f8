import { SegmentedControl, Textarea } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '@/components/form/FormDrawer';
import { useApiForm } from '@/components/form/useApiForm';
import type { AlarmRow } from '../api';
import { needsNote, UNHANDLED } from '../handling';
import type { Choice } from '../handling';
import { AlarmFacts } from './AlarmFacts';
import { AlarmActions, AlarmMore } from './AlarmMore';

/** As in the API. */
const MAX_NOTE = 500;

interface Props<Saved, Chosen extends Choice> {
  title: string;
  /** What can be chosen; the first is chosen as it opens. */
  choices: readonly [Chosen, ...Chosen[]];
  /** The event, when it is one. */
  row?: AlarmRow;
  save: (choice: Chosen, note: string) => Promise<Saved>;
  onSaved: (saved: Saved) => void;
  onClose: () => void;
}

/** Write a note, which closes nothing; or say of events that they are handled or false alarms, or take that back, and why. */
export function HandleDrawer<Saved, Chosen extends Choice>({
  title,
  choices,
  row,
  save,
  onSaved,
  onClose,
}: Props<Saved, Chosen>): ReactElement {
  const { t } = useTranslation();
  const [first] = choices;
  const chosen = (typed: string): Chosen => choices.find((choice) => String(choice) === typed) ?? first;
  const form = useApiForm<{ choice: string; note: string }, Saved>({
    values: { choice: String(first), note: '' },
    validate: {
      note: (note, { choice }) => {
        if (needsNote(chosen(choice)) && note.trim() === '') return t(`events:handle.needed.${choice}`);
        return note.length > MAX_NOTE ? t('events:handle.noteLong', { most: MAX_NOTE }) : null;
      },
    },
    save: ({ choice, note }) => save(chosen(choice), note.trim()),
    onSaved,
  });
  const choice: Choice = chosen(form.fields.getValues().choice);
  return (
    <FormDrawer
      title={title}
      form={form}
      onClose={onClose}
      size={row === undefined ? undefined : 560}
      proposed={!needsNote(choice)}
      save={t(`events:handle.to.${choice}`)}
    >
      {row === undefined ? null : <AlarmActions row={row} />}
      {row === undefined ? null : <AlarmFacts row={row} />}
      {choices.length < 2 ? null : (
        <SegmentedControl
          fullWidth
          aria-label={t('events:handle.choice')}
          data={choices.map((each: Choice) => ({ value: String(each), label: t(`events:handle.name.${each}`) }))}
          {...form.fields.getInputProps('choice')}
          data-testid="handle-status"
        />
      )}
      <Textarea
        label={choice === UNHANDLED ? t('events:handle.why') : t('events:alarm.note')}
        required={needsNote(choice)}
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
