import { Button, Group, TextInput } from '@mantine/core';
import { IconDeviceFloppy } from '@tabler/icons-react';
import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from '../templates.module.css';

interface Props {
  isDirty: boolean;
  isSaving: boolean;
  /** Why it cannot be saved; '' when it can. */
  hindrance: string;
  onSave: (note: string) => void;
  onDiscard: () => void;
  children?: ReactNode;
}

/** Above an editor: what the next version changes, in words of who makes it. */
export function SaveBar({ isDirty, isSaving, hindrance, onSave, onDiscard, children }: Props): ReactElement {
  const { t } = useTranslation();
  const [note, setNote] = useState('');
  return (
    <Group className={classes.saveBar} gap="xs">
      {children}
      <span className={classes.grow} role="status" data-testid="template-unsaved">
        {hindrance === '' ? (isDirty ? t('templates:unsaved') : '') : hindrance}
      </span>
      <TextInput
        size="xs"
        aria-label={t('templates:field.note')}
        placeholder={t('templates:field.note')}
        maxLength={200}
        value={note}
        disabled={!isDirty}
        onChange={(event) => setNote(event.currentTarget.value)}
        data-testid="template-note"
      />
      <Group gap="xs" wrap="nowrap" ml="auto">
        <Button
          variant="default"
          size="compact-sm"
          disabled={!isDirty || isSaving}
          onClick={onDiscard}
          data-testid="template-discard"
        >
          {t('templates:discard')}
        </Button>
        <Button
          size="compact-sm"
          leftSection={<IconDeviceFloppy size={14} aria-hidden />}
          disabled={!isDirty || hindrance !== ''}
          loading={isSaving}
          onClick={() => {
            onSave(note);
            setNote('');
          }}
          data-testid="template-save"
        >
          {t('templates:saveVersion')}
        </Button>
      </Group>
    </Group>
  );
}
