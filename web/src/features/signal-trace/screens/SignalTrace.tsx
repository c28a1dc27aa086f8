import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { findDevices } from '@/blocks/devices/devicePicker';
import { AsyncPicker } from '@/components/AsyncPicker';
import { Empty } from '@/components/Empty';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Trouble } from '@/components/Trouble';
import { deviceTitle } from '@/lib/deviceTitle';
import { useTab } from '@/lib/tab';
import { gatewayQuery } from '../api';
import { Record } from '../components/Record';
import { TraceView } from '../components/TraceView';
import classes from '../trace.module.css';

/** A gateway's signals and frames as they happen. */
export default function SignalTrace(): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const id = /^[1-9]\d{0,9}$/.test(search.gateway ?? '') ? Number(search.gateway) : null;
  const { data: gateway, error, refetch } = useQuery({ ...gatewayQuery(id ?? 0), enabled: id !== null });
  const chosen = id === null || gateway === undefined ? null : { value: String(id), label: deviceTitle(gateway) };
  return (
    <section className={classes.page}>
      <h1>{t('signal-trace:title')}</h1>
      <Text size="sm" c="dimmed">
        {t('signal-trace:text')}
      </Text>
      <div className={classes.choice}>
        <AsyncPicker
          label={t('signal-trace:gateway')}
          value={chosen}
          onChange={(next) => setSearch({ gateway: next?.value, source: undefined })}
          load={findDevices}
          queryKey={['device', 'pick']}
          clearable
          testId="strace-gateway"
        />
      </div>
      {id === null ? <Empty title={t('signal-trace:choose')} text={t('signal-trace:chooseText')} /> : null}
      {id !== null && error !== null ? <Trouble error={error} onRetry={() => void refetch()} /> : null}
      {id !== null && error === null && gateway === undefined ? <PageSkeleton /> : null}
      {id !== null && gateway !== undefined ? (
        <>
          <TraceView key={id} gateway={gateway} />
          <Record deviceId={id} />
        </>
      ) : null}
    </section>
  );
}
