import { Alert, Anchor, Button, Group, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ReactElement, RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '@/api/errors';
import { saveText } from '@/components/clipboard';
import { errorText, showSuccess } from '@/components/notices';
import { saveDraft } from '../api';
import type { ConfigurationState, Document } from '../api';
import classes from '../configuration.module.css';
import { lineOf, pathOf, printed, readText } from '../document';
import type { Read } from '../document';
import { isWritten, useDrafts } from '../draft';
import type { Writing } from '../draft';
import { ConflictDialog } from './ConflictDialog';
import { useView } from './useView';

/** A longer text is slow to edit in a browser: it is saved as it came, and edited elsewhere. */
const MOST_EDITED = 1_500_000;
const MOST_NOTE = 200;

interface Props {
  deviceId: number;
  state: ConfigurationState;
  writing: Writing;
}

/** A new draft as text. What is typed is kept until it is saved or given up. */
export function Editor({ deviceId, state, writing }: Props): ReactElement {
  const { t } = useTranslation();
  const { show } = useView();
  const cache = useQueryClient();
  const { change, end } = useDrafts();
  const area = useRef<HTMLTextAreaElement>(null);
  const [read, setRead] = useState<Read | null>(null);
  const isDirty = isWritten(writing);
  useUnsaved(isDirty);
  const update = (part: Partial<Writing>): void => change(deviceId, part);
  const save = useMutation({
    mutationFn: ({ document, base }: { document: Document; base: string | null }) => saveDraft(deviceId, document, base, writing.note.trim()),
    meta: { shownInPlace: true },
    onSuccess: (version) => {
      end(deviceId);
      showSuccess(t('configuration:saved'));
      void cache.invalidateQueries({ queryKey: ['configuration', deviceId] });
      show({ view: 'compare', from: state.running?.hash, to: version.hash, edit: false, version: undefined });
    },
  });
  const submit = (base: string | null): void => {
    const result = readText(writing.text, writing.file);
    setRead(result);
    if ('document' in result) save.mutate({ document: result.document, base });
  };
  const cancel = (): void => {
    end(deviceId);
    show({ edit: false });
  };
  const isLong = writing.text.length > MOST_EDITED;
  const conflict = conflictOf(save.error);
  return (
    <>
      <div className={classes.bar}>
        <Text fw={600}>{writing.file === '' ? t('configuration:edit.title') : t('configuration:edit.fromFile', { file: writing.file })}</Text>
      </div>
      <form
        className={classes.editing}
        onSubmit={(event) => {
          event.preventDefault();
          submit(writing.base);
        }}
      >
        {isLong ? (
          <Alert color="steel">{t('configuration:edit.long', { count: Math.round(writing.text.length / 1000) })}</Alert>
        ) : (
          <Textarea
            ref={area}
            className={classes.editor}
            aria-label={t('configuration:documentText')}
            value={writing.text}
            onChange={(event) => update({ text: event.currentTarget.value })}
            rows={24}
            spellCheck={false}
            autoComplete="off"
            wrap="off"
            data-testid="document-editor"
          />
        )}
        {read === null ? null : <Unreadable read={read} area={area} text={writing.text} />}
        {save.error === null || conflict !== null || read === null || !('document' in read) ? null : (
          <Refused error={save.error} document={read.document} area={area} writing={writing} onArrange={(text) => update({ text, file: '', original: '' })} />
        )}
        <TextInput
          label={t('configuration:edit.note')}
          placeholder={t('configuration:edit.noteHint')}
          value={writing.note}
          onChange={(event) => update({ note: event.currentTarget.value })}
          maxLength={MOST_NOTE}
          data-testid="draft-note"
        />
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={cancel}>
            {t(isDirty ? 'configuration:edit.giveUp' : 'base:action.cancel')}
          </Button>
          <Button type="submit" loading={save.isPending} data-testid="save-draft">
            {t('configuration:edit.save')}
          </Button>
        </Group>
      </form>
      <ConflictDialog
        deviceId={deviceId}
        newest={conflict}
        base={writing.base}
        onClose={() => save.reset()}
        onKeep={() => saveText(writing.file || `draft-${deviceId}.json`, 'text/plain;charset=utf-8', writing.text)}
        onOver={(newest) => {
          update({ base: newest });
          save.reset();
          submit(newest);
        }}
      />
    </>
  );
}

/** The newest version when somebody else was faster; null for every other error. */
function conflictOf(error: unknown): string | null {
  return error instanceof ApiError && error.facts.status === 409 && error.facts.field === 'base' ? error.facts.rule : null;
}

/** The browser asks before a page with unsaved text is left. */
function useUnsaved(dirty: boolean): void {
  useEffect(() => {
    if (!dirty) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [dirty]);
}

function goTo(area: HTMLTextAreaElement | null, text: string, line: number): void {
  if (area === null) return;
  const lines = text.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  area.focus();
  area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  area.scrollTop = Math.max(0, (area.scrollHeight / Math.max(1, lines.length)) * (line - 6));
}

type Area = RefObject<HTMLTextAreaElement | null>;

function Unreadable({ read, area, text }: { read: Read; area: Area; text: string }): ReactElement | null {
  const { t } = useTranslation();
  if ('document' in read) return null;
  if ('inexact' in read) {
    return (
      <Alert color="red" role="alert" data-testid="document-error">
        <code>{read.inexact}</code>: {t('configuration:edit.inexact')}
      </Alert>
    );
  }
  const { line, column, message } = read.unread;
  return (
    <Alert color="red" role="alert" data-testid="document-error">
      {message === 'object' ? t('configuration:edit.noTable') : t('configuration:edit.unreadable')}
      {line === 0 || message === 'object' ? null : (
        <>
          {' '}
          <Anchor component="button" type="button" onClick={() => goTo(area.current, text, line)}>
            {t('configuration:edit.place', { line, column })}
          </Anchor>
        </>
      )}
      {message === 'object' ? null : <span className={classes.sub}>{message}</span>}
    </Alert>
  );
}

interface RefusedProps {
  error: unknown;
  document: Document;
  area: Area;
  writing: Writing;
  onArrange: (text: string) => void;
}

/** What the cloud says about a field, with the way to it. A text that is laid out otherwise is printed anew first. */
function Refused({ error, document, area, writing, onArrange }: RefusedProps): ReactElement {
  const { t } = useTranslation();
  const facts = error instanceof ApiError ? error.facts : null;
  const path = pathOf(facts?.field ?? '');
  const find = (): void => {
    const text = printed(document);
    if (text !== writing.text) onArrange(text);
    requestAnimationFrame(() => goTo(area.current, text, lineOf(document, path)));
  };
  return (
    <Alert color="red" role="alert" data-testid="document-error">
      {facts === null || path === '' ? (
        errorText(error)
      ) : (
        <>
          <code data-testid="document-error-field">{path}</code>: {facts.rule}{' '}
          <Anchor component="button" type="button" onClick={find}>
            {t('configuration:edit.showField')}
          </Anchor>
        </>
      )}
    </Alert>
  );
}
