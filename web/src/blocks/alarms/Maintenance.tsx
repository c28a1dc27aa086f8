import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ToneText } from '@/components/Tone';
import { useMay } from '@/lib/session';
import { formatDateTime } from '@/lib/time';
import { beginMaintenance, endSuppression, maintenanceQuery, refreshQuiet } from './api';

const SuppressDrawer = lazy(async () => ({ default: (await import('./SuppressDrawer')).SuppressDrawer }));

interface Props {
  deviceId: number;
  /** '' when the user may keep this gateway, else why not. */
  hindrance: string;
}

/** The maintenance that a gateway is in: until when, by whom and why, and the way to end it; nothing without one. */
export function Maintenance({ deviceId, hindrance }: Props): ReactElement | null {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const may = useMay('Event');
  const { data: lasting = null } = useQuery({ ...maintenanceQuery(deviceId), enabled: may });
  const end = useMutation({
    mutationFn: (id: number) => endSuppression(id),
    onSettled: () => refreshQuiet(cache),
  });
  if (lasting === null) return null;
  return (
    <span data-testid="maintenance">
      <span title={`${lasting.user_name}: ${lasting.reason}`}>
        <ToneText tone="warn">{t('base:suppress.lasts', { until: formatDateTime(lasting.until_ms) })}</ToneText>
      </span>{' '}
      <Button
        variant="subtle"
        size="compact-sm"
        disabled={hindrance !== ''}
        title={hindrance || undefined}
        loading={end.isPending}
        onClick={() => end.mutate(lasting.id)}
        data-testid="maintenance-end"
      >
        {t('base:suppress.end')}
      </Button>
    </span>
  );
}

/** For how long a gateway goes into maintenance, and why. One that is in maintenance gets another end. */
export function MaintenanceDrawer({ deviceId, onClose }: { deviceId: number; onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  return (
    <Suspense fallback={null}>
      <SuppressDrawer
        title={t('base:suppress.do.maintenance')}
        kinds={['maintenance']}
        save={(_kind, seconds, reason) => beginMaintenance(deviceId, seconds, reason)}
        onSaved={() => {
          refreshQuiet(cache);
          onClose();
        }}
        onClose={onClose}
      />
    </Suspense>
  );
}
