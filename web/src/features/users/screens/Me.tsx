import { Alert, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PageSkeleton } from '@/components/PageSkeleton';
import page from '@/components/page.module.css';
import { Trouble } from '@/components/Trouble';
import { useTab } from '@/lib/tab';
import { profileQuery } from '../api';
import { MyPassword } from '../components/MyPassword';
import { MyPermissions } from '../components/MyPermissions';
import { MyProfile } from '../components/MyProfile';
import { MySignIns } from '../components/MySignIns';
import classes from '../users.module.css';

const TABS = ['profile', 'password', 'permissions', 'signins'] as const;

/** The signed-in user's own data, password, permissions and sign-ins. */
export default function Me(): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const { data: profile, error, refetch } = useQuery(profileQuery);
  const active = TABS.find((tab) => tab === search.tab) ?? TABS[0];
  return (
    <section className={page.panel}>
      <div className={page.bar}>
        <h1>{t('users:title.me')}</h1>
      </div>
      {profile === undefined ? (
        error === null ? (
          <PageSkeleton />
        ) : (
          <Trouble error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <Tabs
          value={active}
          onChange={(tab) => setSearch({ tab: tab ?? undefined, page: undefined })}
          keepMounted={false}
        >
          <Tabs.List className={classes.tabs}>
            {TABS.map((tab) => (
              <Tabs.Tab key={tab} value={tab} data-testid={`me-${tab}`}>
                {t(`users:me.${tab}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <div className={classes.tab}>
            {profile.demo && active !== 'permissions' && active !== 'signins' ? (
              <Alert mb="md">{t('users:refusal.user.demo_fixed')}</Alert>
            ) : null}
            <Tabs.Panel value="profile">
              <MyProfile profile={profile} />
            </Tabs.Panel>
            <Tabs.Panel value="password">
              <MyPassword profile={profile} />
            </Tabs.Panel>
            <Tabs.Panel value="permissions">
              <MyPermissions />
            </Tabs.Panel>
            <Tabs.Panel value="signins">
              <MySignIns />
            </Tabs.Panel>
          </div>
        </Tabs>
      )}
    </section>
  );
}
