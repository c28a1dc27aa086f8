import { Tooltip } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useNow } from '@/components/useNow';
import { useLink } from '@/lib/live';
import classes from './layout.module.css';

export function ConnectionChip(): ReactElement {
  const { t } = useTranslation();
  const { phase, retryAtMs } = useLink();
  const now = useNow(1000);
  const waits = phase === 'lost' && retryAtMs !== null ? Math.max(0, Math.ceil((retryAtMs - now) / 1000)) : 0;
  return (
    <Tooltip label={t(`base:link.hint.${phase}`)} multiline maw={260}>
      <span className={classes.chip} data-phase={phase} data-testid="connection-chip">
        {t(`base:link.${phase}`)}
        {waits > 0 ? <span className="number">{waits} s</span> : null}
      </span>
    </Tooltip>
  );
}
