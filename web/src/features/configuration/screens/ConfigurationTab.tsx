import { SegmentedControl } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Trouble } from '@/components/Trouble';
import { useTabDevice } from '@/blocks/devices/useTabDevice';
import { useMay } from '@/lib/session';
import { DeployDrawer } from '../components/DeployDrawer';
import { DeploymentsView } from '../components/DeploymentsView';
import { StatePanel } from '../components/StatePanel';
import { useConfiguration, useConfigurationEvents } from '../components/useConfiguration';
import { useGuard } from '../components/useGuard';
import { useView, VIEWS } from '../components/useView';
import type { View } from '../components/useView';
import { VersionsView } from '../components/VersionsView';
import classes from '../configuration.module.css';

const CompareView = lazy(() => import('../components/CompareView'));
const DocumentView = lazy(() => import('../components/DocumentView'));

/** What a gateway is told to do: what runs, what is to run next, and how it came there. */
export default function ConfigurationTab(): ReactElement {
  const { t } = useTranslation();
  const device = useTabDevice();
  const mayManage = useMay('DeviceManage');
  const guard = useGuard();
  const { view, show } = useView();
  const query = useConfiguration(device.id);
  useConfigurationEvents(device.id);
  if (query.data === undefined) {
    return query.error === null ? (
      <PageSkeleton />
    ) : (
      <Trouble error={query.error} onRetry={() => void query.refetch()} />
    );
  }
  const shared = { deviceId: device.id, state: query.data, mayManage, guard };
  return (
    <>
      <StatePanel {...shared} />
      <div className={classes.bar} style={{ overflowX: 'auto' }}>
        <SegmentedControl
          size="xs"
          value={view}
          onChange={(next) => show({ view: next as View })}
          data={VIEWS.map((value) => ({ value, label: t(`configuration:view.${value}`) }))}
          aria-label={t('configuration:view.label')}
          data-testid="configuration-view"
        />
      </div>
      <Suspense fallback={<PageSkeleton />}>
        {view === 'versions' ? <VersionsView {...shared} /> : null}
        {view === 'compare' ? <CompareView {...shared} /> : null}
        {view === 'document' ? (
          <DocumentView {...shared} title={device.gateway_id} online={device.link.online} />
        ) : null}
        {view === 'deployments' ? <DeploymentsView {...shared} /> : null}
      </Suspense>
      <DeployDrawer {...shared} online={device.link.online} />
    </>
  );
}
