import { Alert, Anchor, Button, Group, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import type { ReactElement, RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '@/api/errors';
import { saveText } from '@/components/clipboard';
import { codeKey } from '@/blocks/deployment/reason';
import { useUnsavedChanges } from '@/components/form/useUnsavedChanges';
import { errorText, showSuccess } from '@/components/notices';
import { ruleText } from '@/components/ruleText';
import { formatDateTime } from '@/lib/time';
import { check, saveDraft } from '../api';
import type { ConfigurationState, DeploymentDetail, Document } from '../api';
import classes from '../configuration.module.css';
import { lineOf, pathOf, printed, readText } from '../document';
import type { Read } from '../document';
import { isInPlaceOf, isWritten, useDrafts } from '../draft';
import type { Writing } from '../draft';
import { ConflictDialog } from './ConflictDialog';
import { useView } from './useView';

/** A longer text is slow to edit in a browser: it is saved as it came, and edited elsewhere. */
const MAX_EDITED = 1_500_000;
const MAX_NOTE = 200;

interface Props {
  deviceId: number;
  state: ConfigurationState;
  writing: Writing;
  online: boolean;
}

/** A new draft as text. What is typed is kept until it is saved or given up. */
export function Editor({ deviceId, state, writing, online }: Props): ReactElement {
  const { t } = useTranslation();
  const { show } = useView();
  const cache = useQueryClient();
  const { change, end } = useDrafts();
  const area = useRef<HTMLTextAreaElement>(null);
  const [read, setRead] = useState<Read | null>(null);
  const isDirty = isWritten(writing);
  useUnsavedChanges(isDirty, { persisted: true });
  const update = (part: Partial<Writing>): void => change(deviceId, part);
  const save = useMutation({
    mutationFn: ({ document, base }: { document: Document; base: string | null }) =>
      saveDraft(deviceId, document, base, writing.note.trim()),
    meta: { errorInPlace: true },
    onSuccess: (version) => {
      end(deviceId);
      showSuccess(t('configuration:saved'));
      void cache.invalidateQueries({ queryKey: ['configuration', deviceId] });
      show({ view: 'compare', from: state.running?.hash, to: version.hash, edit: false, version: undefined });
    },
  });
  const tryOut = useMutation({
    mutationFn: async ({ document, base }: { document: Document; base: string | null }) => {
      const { text: saved } = writing;
      const { hash } = await saveDraft(deviceId, document, base, writing.note.trim());
      update({ base: hash, from: hash, saved });
      void cache.invalidateQueries({ queryKey: ['configuration', deviceId] });
      return { document, result: await check(deviceId, hash) };
    },
    meta: { errorInPlace: true },
  });
  const validation = tryOut.data ?? null;
  const type = (text: string): void => {
    // The gateway has not seen this text; its faults stay until they are mended.
    if (validation?.result.faults.length === 0) tryOut.reset();
    update({ text });
  };
  const askGateway = (base: string | null): void => {
    save.reset();
    const result = readText(writing.text, writing.file);
    setRead(result);
    if ('document' in result) tryOut.mutate({ document: result.document, base });
  };
  const error = save.error ?? tryOut.error;
  const submit = (base: string | null): void => {
    tryOut.reset();
    const result = readText(writing.text, writing.file);
    setRead(result);
    if ('document' in result) save.mutate({ document: result.document, base });
  };
  const cancel = (): void => {
    end(deviceId);
    show({ edit: false });
  };
  const isLong = writing.text.length > MAX_EDITED;
  const conflict = conflictOf(error);
  return (
    <>
      <div className={classes.bar}>
        <Text fw={600}>
          {writing.file === ''
            ? t('configuration:edit.title')
            : t('configuration:edit.fromFile', { file: writing.file })}
        </Text>
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
          <NumberedText area={area} text={writing.text} onChange={type} />
        )}
        {read === null ? null : <Unreadable read={read} area={area} text={writing.text} />}
        {error === null || conflict !== null || read === null || !('document' in read) ? null : (
          <Refused
            error={error}
            document={read.document}
            area={area}
            writing={writing}
            onArrange={(text) => update({ text, file: '', original: '' })}
          />
        )}
        {validation === null ? null : (
          <ValidationResult
            validation={validation}
            area={area}
            writing={writing}
            onArrange={(text) => update({ text, file: '', original: '', saved: text })}
          />
        )}
        <TextInput
          label={t('configuration:edit.note')}
          placeholder={t('configuration:edit.noteHint')}
          value={writing.note}
          onChange={(event) => update({ note: event.currentTarget.value })}
          maxLength={MAX_NOTE}
          data-testid="draft-note"
        />
        {state.draft !== null && isInPlaceOf(writing, state.draft) ? (
          <Alert color="yellow" role="status" data-testid="replaces-draft">
            {t('configuration:edit.replaces', {
              author: state.draft.author,
              time: formatDateTime(state.draft.changed_ms),
            })}
          </Alert>
        ) : null}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={cancel}>
            {t(isDirty ? 'configuration:edit.giveUp' : 'base:action.cancel')}
          </Button>
          <Button
            variant="default"
            disabled={!online}
            title={online ? t('configuration:edit.checkHint') : t('base:deployment.code.offline')}
            loading={tryOut.isPending}
            onClick={() => askGateway(writing.base)}
            data-testid="check-draft"
          >
            {t('configuration:edit.check')}
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
        onClose={() => {
          save.reset();
          tryOut.reset();
        }}
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
  return error instanceof ApiError && error.facts.status === 409 && error.facts.field === 'base'
    ? error.facts.rule
    : null;
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

/** Text with its line numbers, which scroll along. All of it is in the page: the browser's own search finds everything. */
function NumberedText({
  area,
  text,
  onChange,
}: {
  area: Area;
  text: string;
  onChange: (text: string) => void;
}): ReactElement {
  const { t } = useTranslation();
  const gutter = useRef<HTMLPreElement>(null);
  const count = useMemo(() => text.split('\n').length, [text]);
  const numbers = useMemo(() => Array.from({ length: count }, (_, at) => at + 1).join('\n'), [count]);
  return (
    <div className={classes.numbered}>
      <pre ref={gutter} className={classes.gutter} aria-hidden data-testid="line-numbers">
        {numbers}
      </pre>
      <Textarea
        ref={area}
        className={classes.editor}
        aria-label={t('configuration:documentText')}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        onScroll={(event) => {
          if (gutter.current !== null) gutter.current.scrollTop = event.currentTarget.scrollTop;
        }}
        rows={24}
        spellCheck={false}
        autoComplete="off"
        wrap="off"
        data-testid="document-editor"
      />
    </div>
  );
}

interface ValidationResultProps {
  validation: { document: Document; result: DeploymentDetail };
  area: Area;
  writing: Writing;
  onArrange: (text: string) => void;
}

/** What the gateway says of the text, which is saved by then: each fault with the way to its line. */
function ValidationResult({ validation, area, writing, onArrange }: ValidationResultProps): ReactElement {
  const { t } = useTranslation();
  const { document, result } = validation;
  if (result.state === 'checked' || result.state === 'unchanged') {
    return (
      <Alert color="green" role="status" data-testid="draft-checked">
        {t('configuration:edit.checked')}
      </Alert>
    );
  }
  const why = codeKey(result.code);
  if (result.faults.length === 0) {
    return (
      <Alert color="yellow" role="alert" data-testid="draft-checked">
        {[why === null ? result.code : t(why), result.detail].filter(Boolean).join(' · ')}
      </Alert>
    );
  }
  const find = (path: string): void => {
    const text = printed(document);
    if (text !== writing.text) onArrange(text);
    requestAnimationFrame(() => goTo(area.current, text, lineOf(document, path)));
  };
  return (
    <Alert color="red" role="alert" title={t('configuration:deploy.wouldRefuse')} data-testid="draft-checked">
      <ul className={classes.faults}>
        {result.faults.map(({ field, rule }) => (
          <li key={`${field} ${rule}`}>
            <Anchor component="button" type="button" size="sm" onClick={() => find(field)}>
              {t('configuration:edit.line', { line: lineOf(document, field) })} <code>{field}</code>
            </Anchor>
            <span className={classes.sub}>{ruleText(rule)}</span>
          </li>
        ))}
      </ul>
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
          <code data-testid="document-error-field">{path}</code>: {ruleText(facts.rule)}{' '}
          <Anchor component="button" type="button" onClick={find}>
            {t('configuration:edit.showField')}
          </Anchor>
        </>
      )}
    </Alert>
  );
}
