import { ActionIcon, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from '@/components/clipboard';
import classes from '../configuration.module.css';
import { short } from '../deployment';

const COPIED_MS = 1500;

/** The beginning of a version's name; the whole one is copied. */
export function Hash({ hash, copies = false }: { hash: string; copies?: boolean }): ReactElement {
  const { t } = useTranslation();
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    if (!(await copyText(hash))) return;
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  const text = (
    <span className={classes.hash} title={hash}>
      {short(hash)}
    </span>
  );
  if (!copies) return text;
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 4 }}>
      {text}
      <Tooltip label={t(copied ? 'configuration:copied' : 'configuration:copyHash')}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={24}
          onClick={() => void copy()}
          aria-label={t('configuration:copyHash')}
        >
          {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
        </ActionIcon>
      </Tooltip>
    </span>
  );
}
