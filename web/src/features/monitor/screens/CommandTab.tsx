import { Button } from '@mantine/core';
import { IconListCheck } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useHindrance } from '@/blocks/devices/useHindrance';
import type { DataSource, Preset } from '../api';
import { BatchDrawer } from '../components/BatchDrawer';
import { Presets } from '../components/Presets';
import { useDevice, usePoints } from '../components/useDevice';
import classes from '../monitor.module.css';
import { PointTable } from './LiveTab';

const isWritable = (source: DataSource): boolean => source.rw !== 'readonly' && source.ds_type !== 'cal';

/** Presets, a batch of writes, and every writable point by itself. */
export default function CommandTab(): ReactElement {
  const { t } = useTranslation();
  const device = useDevice();
  const { sources, last } = usePoints();
  const hindrance = useHindrance('Device/cmd', device, 'monitor:command.notAllowed');
  const [drawer, setDrawer] = useState<{ preset: Preset | null } | null>(null);
  const byId = useMemo(() => new Map(sources.map((source) => [source.dsid, source])), [sources]);
  const writable = useMemo(() => sources.filter(isWritable), [sources]);
  return (
    <>
      {writable.length === 0 ? null : (
        <div className={classes.bar}>
          <h2>{t('monitor:preset.title')}</h2>
          <Button
            variant="default"
            leftSection={<IconListCheck size={16} stroke={1.6} />}
            disabled={hindrance !== ''}
            title={hindrance || undefined}
            onClick={() => setDrawer({ preset: null })}
            data-testid="batch-open"
          >
            {t('monitor:batch.title')}
          </Button>
        </div>
      )}
      <Presets device={device} sources={byId} onEdit={(preset) => setDrawer({ preset })} />
      <PointTable keep={isWritable} emptyTitle="monitor:command.nothing" />
      {drawer === null ? null : (
        <BatchDrawer
          device={device}
          sources={writable}
          last={last}
          preset={drawer.preset}
          onClose={() => setDrawer(null)}
        />
      )}
    </>
  );
}
