import { ActionIcon, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useCopied } from '@/components/useCopied';
import classes from '../configuration.module.css';
import { short } from '../deployment';

/** The beginning of a version's name; the whole one is copied. */
export function Hash({ hash, copies = false }: { hash: string; copies?: boolean }): ReactElement {
  const { t } = useTranslation();
  const { state, copy } = useCopied();
  const copied = state === 'done';
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
          onClick={() => void copy(hash)}
          aria-label={t('configuration:copyHash')}
        >
          {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
        </ActionIcon>
      </Tooltip>
    </span>
  );
}
