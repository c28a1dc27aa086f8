import { Button, Group, Modal, Text, TextInput } from '@mantine/core';
import { useCallback, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

export interface Question {
  title: string;
  /** What will be the case afterwards. */
  text: ReactNode;
  /** Word on the button that does it. */
  confirm: string;
  /** Does it take something away? */
  danger?: boolean;
  /** To be typed before the button works, for what cannot be had back. */
  typed?: string;
}

interface OpenQuestion extends Question {
  answer: (yes: boolean) => void;
}

/** Ask before something is done: [ask, dialog]; the dialog is to be drawn by the asker. */
export function useConfirm(): [(question: Question) => Promise<boolean>, ReactElement | null] {
  const [current, setCurrent] = useState<OpenQuestion | null>(null);
  const ask = useCallback(
    (question: Question) =>
      new Promise<boolean>((resolve) => {
        setCurrent({
          ...question,
          answer: (yes) => {
            setCurrent(null);
            resolve(yes);
          },
        });
      }),
    [],
  );
  const dialog = current === null ? null : <ConfirmDialog {...current} />;
  return [ask, dialog];
}

/** The question of every deletion, in the same words. */
export function useConfirmDelete(): [
  (what: string, more?: { impact?: ReactNode; typed?: string }) => Promise<boolean>,
  ReactElement | null,
] {
  const { t } = useTranslation();
  const [ask, dialog] = useConfirm();
  const askDelete = useCallback(
    (what: string, { impact, typed }: { impact?: ReactNode; typed?: string } = {}) =>
      ask({
        title: t('base:confirm.delete'),
        text: (
          <>
            {t('base:confirm.deleteText', { what })}
            {impact === undefined ? null : <span style={{ display: 'block', marginTop: 8 }}>{impact}</span>}
          </>
        ),
        confirm: t('base:confirm.delete'),
        danger: true,
        typed,
      }),
    [ask, t],
  );
  return [askDelete, dialog];
}

function ConfirmDialog({ title, text, confirm, danger = false, typed, answer }: OpenQuestion): ReactElement {
  const { t } = useTranslation();
  const [words, setWords] = useState('');
  const mayGo = typed === undefined || words.trim() === typed;
  return (
    <Modal opened onClose={() => answer(false)} title={title} zIndex={300} data-testid="confirm-dialog">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation();
          if (mayGo) answer(true);
        }}
      >
        <Text size="sm" component="div">
          {text}
        </Text>
        {typed === undefined ? null : (
          <TextInput
            mt="sm"
            label={t('base:confirm.type', { text: typed })}
            value={words}
            onChange={(event) => setWords(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
            data-testid="confirm-typed"
          />
        )}
        <Group justify="flex-end" mt="md">
          <Button
            variant="default"
            onClick={() => answer(false)}
            data-autofocus={typed === undefined || undefined}
            data-testid="confirm-no"
          >
            {t('base:action.cancel')}
          </Button>
          <Button type="submit" color={danger ? 'red' : undefined} disabled={!mayGo} data-testid="confirm-yes">
            {confirm}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
