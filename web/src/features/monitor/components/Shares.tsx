import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ToneText } from '@/components/Tone';
import { useServerNow } from '@/components/useNow';
import { percentText } from '@/lib/percent';
import { useTab } from '@/lib/tab';
import { sharesQuery } from '../api';
import classes from '../monitor.module.css';

const STEP_MS = 30_000;

/** What was read of what was to be read in the last 24 hours; the tab of the same name tells the rest. */
export function CollectionShare({ deviceId }: { deviceId: number }): ReactElement {
  const { t } = useTranslation();
  const { data } = useQuery(sharesQuery(deviceId, useServerNow(STEP_MS)));
  if (data === undefined) return <>–</>;
  const { percent, missed, expected, good } = data.collection;
  if (percent === null) return <span title={t('monitor:fact.collectionNone')}>–</span>;
  return (
    <Share
      text={percentText(percent)}
      lacks={missed === 0 ? null : t('monitor:fact.missed', { percent: percentText(percent), count: missed })}
      title={t('monitor:fact.collectionText', { good, expected })}
      testId="collection-share"
    />
  );
}

/** Which batches of the last 24 hours arrived. */
export function TransportShare({ deviceId }: { deviceId: number }): ReactElement {
  const { t } = useTranslation();
  const { data } = useQuery(sharesQuery(deviceId, useServerNow(STEP_MS)));
  if (data === undefined) return <>–</>;
  const { percent, missing, received } = data;
  if (percent === null) return <span title={t('monitor:fact.transportNone')}>–</span>;
  return (
    <Share
      text={percentText(percent)}
      lacks={missing === 0 ? null : t('monitor:fact.missing', { percent: percentText(percent), count: missing })}
      title={t('monitor:fact.transportText', { received, expected: received + missing })}
      testId="transport-share"
    />
  );
}

/** lacks: the words when something is missing. */
function Share(of: { text: string; lacks: string | null; title: string; testId: string }): ReactElement {
  const { setSearch } = useTab();
  return (
    <UnstyledButton
      className={classes.factLink}
      title={of.title}
      onClick={() => setSearch({ tab: 'completeness' }, 'push')}
      data-testid={of.testId}
    >
      {of.lacks === null ? of.text : <ToneText tone="warn">{of.lacks}</ToneText>}
    </UnstyledButton>
  );
}
