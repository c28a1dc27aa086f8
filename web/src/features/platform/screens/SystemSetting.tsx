import { Button, Tabs } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import page from '@/components/page.module.css';
import { PageSkeleton } from '@/components/PageSkeleton';
import { PermissionGate } from '@/components/permission';
import { useScreenLink } from '@/lib/navigation';
import { useTab } from '@/lib/tab';
import { AlarmLevels } from '../components/AlarmLevels';
import { CloudSwitches } from '../components/CloudSwitches';
import { GatewaySetting } from '../components/GatewaySetting';
import { ExternalLinks } from '../components/ExternalLinks';
import classes from '../platform.module.css';

const MapSetting = lazy(() => import('../components/MapSetting'));

const TABS = ['cloud', 'levels', 'links', 'gateway', 'map'] as const;

/** What holds for the whole installation. */
export default function SystemSetting(): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const audit = useScreenLink('/user/auditLog');
  const active = TABS.find((tab) => tab === search.tab) ?? TABS[0];
  return (
    <section className={page.panel}>
      <div className={page.bar}>
        <h1>{t('platform:title.systemSetting')}</h1>
        <PermissionGate asks="auth.Audit">
          <Button component="a" {...audit} variant="default" leftSection={<IconListDetails size={16} />}>
            {t('platform:title.audit')}
          </Button>
        </PermissionGate>
      </div>
      <Tabs value={active} onChange={(tab) => setSearch({ tab: tab ?? undefined })} keepMounted={false}>
        <Tabs.List className={classes.tabs}>
          {TABS.map((tab) => (
            <Tabs.Tab key={tab} value={tab} data-testid={`setting-${tab}`}>
              {t(`platform:setting.${tab}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <div className={classes.body}>
          <Tabs.Panel value="cloud">
            <CloudSwitches />
          </Tabs.Panel>
          <Tabs.Panel value="levels">
            <AlarmLevels />
          </Tabs.Panel>
          <Tabs.Panel value="links">
            <ExternalLinks />
          </Tabs.Panel>
          <Tabs.Panel value="gateway">
            <GatewaySetting />
          </Tabs.Panel>
          <Tabs.Panel value="map">
            <Suspense fallback={<PageSkeleton />}>{active === 'map' ? <MapSetting /> : null}</Suspense>
          </Tabs.Panel>
        </div>
      </Tabs>
    </section>
  );
}
