import { ActionIcon, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy, IconX } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useCopied } from './useCopied';

const ICONS = { ready: IconCopy, done: IconCheck, failed: IconX };

/** Copies a text; says for 1.5 s whether it worked. name: what is copied, for who does not see the text. */
export function CopyButton({
  text,
  name = text,
  testId,
}: {
  text: string;
  name?: string;
  testId?: string;
}): ReactElement {
  const { t } = useTranslation();
  const { state, copy } = useCopied();
  const Icon = ICONS[state];
  const label = state === 'ready' ? t('base:copy.action', { text: name }) : t(`base:copy.${state}`);
  return (
    <Tooltip label={label} opened={state === 'ready' ? undefined : true}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={28}
        onClick={() => void copy(text)}
        aria-label={label}
        data-testid={testId}
      >
        <Icon size={15} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

/** A text to be taken along. */
export function CopyText({ text, testId }: { text: string; testId?: string }): ReactElement {
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 4, maxWidth: '100%' }}>
      <code data-testid={testId} style={{ overflowWrap: 'anywhere' }}>
        {text}
      </code>
      <CopyButton text={text} />
    </span>
  );
}
