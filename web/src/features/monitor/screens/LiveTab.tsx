import { Button, Switch } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useCallback, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { PageSkeleton } from '@/components/PageSkeleton';
import { SearchBox } from '@/components/SearchBox';
import { Trouble } from '@/components/Trouble';
import { useTab } from '@/lib/tab';
import type { DataSource } from '../api';
import { CommandDrawer } from '../components/CommandDrawer';
import { LiveTable } from '../components/LiveTable';
import { Unconfigured } from '../components/Unconfigured';
import { useDevice, usePoints } from '../components/useDevice';
import { filtered } from '../liveFilter';
import classes from '../monitor.module.css';

/** Live values of the gateway, or of the slave that the address names. */
export default function LiveTab(): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const { slave } = search;
  const keep = useCallback((source: DataSource) => source.slave === slave, [slave]);
  if (slave === undefined) return <PointTable emptyTitle="monitor:live.nothing" />;
  return (
    <>
      <Button
        variant="light"
        size="compact-sm"
        mb="xs"
        rightSection={<IconX size={14} aria-hidden />}
        onClick={() => setSearch({ slave: undefined })}
        data-testid="live-slave"
      >
        {t('monitor:live.onlySlave', { slave })}
      </Button>
      <PointTable key={slave} keep={keep} emptyTitle="monitor:live.nothing" />
    </>
  );
}

interface Props {
  keep?: (source: DataSource) => boolean;
  emptyTitle: string;
}

/** Live values of the points that are kept, with the drawer that writes them. */
export function PointTable({ keep, emptyTitle }: Props): ReactElement {
  const { t } = useTranslation();
  const device = useDevice();
  const { search, setSearch } = useTab();
  const onlyAbnormal = search.abnormal === '1';
  const { sources, last, isPending, error, retry } = usePoints();
  const [target, setTarget] = useState<DataSource | null>(null);
  const onWrite = useCallback((source: DataSource) => setTarget(source), []);
  if (error !== null) return <Trouble error={error} onRetry={retry} />;
  if (isPending) return <PageSkeleton rows={12} />;
  const selected = keep === undefined ? sources : sources.filter(keep);
  const visible = filtered(selected, search.q ?? '');
  if (sources.length === 0 && device.link.online) return <Unconfigured deviceId={device.id} />;
  if (selected.length === 0) return <Empty title={t(emptyTitle)} text={t('monitor:live.nothingText')} />;
  return (
    <>
      <div className={classes.bar} data-testid="live-bar">
        <SearchBox
          label={t('monitor:live.filter')}
          value={search.q ?? ''}
          onChange={(q) => setSearch({ q })}
          testId="live-filter"
        />
        <Switch
          label={t('monitor:live.onlyAbnormal')}
          checked={onlyAbnormal}
          onChange={(event) => setSearch({ abnormal: event.currentTarget.checked ? 1 : undefined })}
          data-testid="live-abnormal"
        />
        <span className={classes.hint} role="status">
          {visible.length === selected.length
            ? t('monitor:points.count', { count: selected.length })
            : t('monitor:live.shown', { count: visible.length, total: selected.length })}
        </span>
      </div>
      {visible.length === 0 ? (
        <Empty title={t('monitor:live.noMatch')} />
      ) : (
        <LiveTable device={device} sources={visible} last={last} onWrite={onWrite} onlyAbnormal={onlyAbnormal} />
      )}
      <CommandDrawer
        source={target}
        device={device}
        initial={target === null ? undefined : last.get(target.dsid)}
        onClose={() => setTarget(null)}
      />
    </>
  );
}
