import { ActionIcon, Tooltip } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PermissionGate } from '@/components/permission';
import { labelOf } from './remembered';
import type { DeviceSource } from './useSources';

const PointRetention = lazy(() => import('../retention/PointRetention'));

/** How long the history of the chosen points is kept. */
export function HistoryRetention({ chosen }: { chosen: readonly DeviceSource[] }): ReactElement {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const points = useMemo(() => chosen.map((source) => ({ dsid: source.dsid, label: labelOf(source) })), [chosen]);
  return (
    <PermissionGate asks="DeviceManage">
      <Tooltip label={t('base:retention.title')}>
        <ActionIcon
          variant="default"
          size={32}
          disabled={points.length === 0}
          onClick={() => setOpen(true)}
          aria-label={t('base:retention.title')}
          aria-haspopup="dialog"
          data-testid="history-kept"
        >
          <IconHistory size={16} />
        </ActionIcon>
      </Tooltip>
      {isOpen && points.length > 0 ? (
        <Suspense>
          <PointRetention points={points} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </PermissionGate>
  );
}
