import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ToneText } from '@/components/Tone';
import { useServerNow } from '@/components/useNow';
import { useTab } from '@/lib/tab';
import { collectionShareQuery } from '../api';
import classes from '../monitor.module.css';

const STEP_MS = 30_000;

/** What was read of what was to be read in the last 24 hours, never rounded up; the tab of the same name tells the rest. */
export function CollectionShare({ deviceId }: { deviceId: number }): ReactElement {
  const { t } = useTranslation();
  const { setSearch } = useTab();
  const { data } = useQuery(collectionShareQuery(deviceId, useServerNow(STEP_MS)));
  if (data === undefined) return <>–</>;
  const { percent, missed, expected, good } = data;
  if (percent === null) return <span title={t('monitor:fact.collectionNone')}>–</span>;
  const text = percent === 100 ? '100 %' : `${(Math.floor(percent * 100 + 1e-6) / 100).toFixed(2)} %`;
  return (
    <UnstyledButton
      className={classes.factLink}
      title={t('monitor:fact.collectionText', { good, expected })}
      onClick={() => setSearch({ tab: 'completeness' }, 'push')}
      data-testid="collection-share"
    >
      {missed === 0 ? (
        text
      ) : (
        <ToneText tone="warn">{t('monitor:fact.missed', { percent: text, count: missed })}</ToneText>
      )}
    </UnstyledButton>
  );
}
