import { ActionIcon, Button } from '@mantine/core';
import { IconPencil, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Trouble } from '@/components/Trouble';
import { ToneText } from '@/components/Tone';
import { useHindrance } from '@/blocks/devices/useHindrance';
import { useMay } from '@/lib/session';
import { presetsQuery } from '../api';
import type { DataSource, DeviceDetail, Preset } from '../api';
import classes from '../monitor.module.css';
import { PresetDelete, PresetRun } from './PresetDialogs';
import { useWriteWords } from './useWriteWords';

interface Props {
  device: DeviceDetail;
  sources: ReadonlyMap<number, DataSource>;
  onEdit: (preset: Preset) => void;
}

/** Preset commands of the gateway; what cannot be carried out now says so. */
export function Presets({ device, sources, onEdit }: Props): ReactElement | null {
  const { t } = useTranslation();
  const query = useQuery(presetsQuery(device.id));
  const [running, setRunning] = useState<Preset | null>(null);
  const [deleting, setDeleting] = useState<Preset | null>(null);
  if (query.error !== null && query.data === undefined)
    return <Trouble error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return null;
  if (query.data.length === 0) return <p className={classes.note}>{t('monitor:preset.nothing')}</p>;
  return (
    <section className={classes.presets} aria-label={t('monitor:preset.title')}>
      <ul className={classes.cards}>
        {query.data.map((preset) => (
          <Line
            key={preset.id}
            device={device}
            preset={preset}
            sources={sources}
            onRun={setRunning}
            onEdit={onEdit}
            onDelete={setDeleting}
          />
        ))}
      </ul>
      {running === null ? null : (
        <PresetRun preset={running} device={device} sources={sources} onClose={() => setRunning(null)} />
      )}
      {deleting === null ? null : <PresetDelete preset={deleting} device={device} onClose={() => setDeleting(null)} />}
    </section>
  );
}

interface LineProps {
  device: DeviceDetail;
  preset: Preset;
  sources: ReadonlyMap<number, DataSource>;
  onRun: (preset: Preset) => void;
  onEdit: (preset: Preset) => void;
  onDelete: (preset: Preset) => void;
}

function Line({ device, preset, sources, onRun, onEdit, onDelete }: LineProps): ReactElement {
  const { t } = useTranslation();
  const words = useWriteWords(sources);
  const noRun = useHindrance('Device/cmd', device, 'monitor:command.notAllowed');
  const noKeep = useHindrance('DeviceManage', device);
  const mayKeep = useMay('DeviceManage');
  const broken = preset.writes.filter(({ problem }) => (problem ?? '') !== '').length;
  return (
    <li className={classes.preset} data-testid="preset">
      <span className={classes.presetText}>
        <strong>{preset.title}</strong>
        <span className={classes.sub}>{preset.writes.map(words).join(t('monitor:presence.comma'))}</span>
        {broken === 0 ? null : <ToneText tone="bad">{t('monitor:preset.broken', { count: broken })}</ToneText>}
      </span>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconPlayerPlay size={14} stroke={1.8} />}
        disabled={noRun !== '' || broken > 0}
        title={noRun || undefined}
        onClick={() => onRun(preset)}
        aria-label={t('monitor:preset.runOne', { title: preset.title })}
        data-testid="preset-run"
      >
        {t('monitor:preset.run')}
      </Button>
      {mayKeep ? (
        <>
          <ActionIcon
            variant="default"
            size={28}
            disabled={noKeep !== ''}
            title={noKeep || undefined}
            onClick={() => onEdit(preset)}
            aria-label={t('monitor:preset.editOne', { title: preset.title })}
            data-testid="preset-edit"
          >
            <IconPencil size={15} stroke={1.6} />
          </ActionIcon>
          <ActionIcon
            variant="default"
            size={28}
            disabled={noKeep !== ''}
            title={noKeep || undefined}
            onClick={() => onDelete(preset)}
            aria-label={t('monitor:preset.deleteOne', { title: preset.title })}
            data-testid="preset-delete"
          >
            <IconTrash size={15} stroke={1.6} />
          </ActionIcon>
        </>
      ) : null}
    </li>
  );
}
