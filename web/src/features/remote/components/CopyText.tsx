import { ActionIcon, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from '@/components/clipboard';
import classes from '../remote.module.css';

const COPIED_MS = 1500;

/** A text to be taken along. */
export function CopyText({ text, testId }: { text: string; testId: string }): ReactElement {
  const { t } = useTranslation();
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    if (!(await copyText(text))) return;
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  const label = t(copied ? 'remote:copied' : 'remote:copy', { text });
  return (
    <div className={classes.address}>
      <code data-testid={testId}>{text}</code>
      <Tooltip label={label}>
        <ActionIcon variant="subtle" color="gray" size={28} onClick={() => void copy()} aria-label={label}>
          {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
        </ActionIcon>
      </Tooltip>
    </div>
  );
}
