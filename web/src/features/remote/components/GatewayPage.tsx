import { Alert, Anchor, Button, Group, Text } from '@mantine/core';
import { IconExternalLink, IconPlugConnectedX } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useServerNow } from '@/components/useNow';
import { useTab } from '@/lib/tab';
import { useSession } from '@/lib/session';
import { changePage, pageQuery } from '../api';
import { leftText } from '../ports';
import classes from '../remote.module.css';
import { Refused } from './Refused';

/** The way to the page that the gateway itself serves, in a browser tab of its own. */
export function GatewayPage({
  deviceId,
  online,
  hindrance,
}: {
  deviceId: number;
  online: boolean;
  hindrance: string;
}): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const me = useSession((state) => state.user?.name ?? '');
  const state = useQuery(pageQuery(deviceId)).data;
  const { search } = useTab();
  const slave = search.frames ?? '';
  const open = useMutation({
    // The window is opened while the click still counts as one; what is asked for comes into it afterwards.
    mutationFn: (window: Window | null) =>
      changePage(deviceId, 'open').then(
        (page) => ({ page, isLoaded: lead(window, pageAt(page.url, slave)) }),
        (error: unknown) => {
          window?.close();
          throw error;
        },
      ),
    meta: { errorInPlace: true },
    onSuccess: ({ page }) => cache.setQueryData(['rproxy', deviceId], page),
  });
  const close = useMutation({
    mutationFn: () => changePage(deviceId, 'close'),
    onSuccess: (page) => {
      open.reset();
      cache.setQueryData(['rproxy', deviceId], page);
    },
  });
  const isOpen = state?.open === true;
  const isOthers = isOpen && state.user !== me;
  const blocked = open.data !== undefined && !open.data.isLoaded ? (pageAt(open.data.page.url, slave) ?? '') : '';
  return (
    <section aria-label={t('remote:page.title')}>
      <h2>{t('remote:page.title')}</h2>
      <Text size="sm" c="dimmed">
        {t('remote:page.text')}
      </Text>
      {isOpen ? <WebSession expiresMs={state.expires_ms ?? null} user={state.user ?? ''} isOthers={isOthers} /> : null}
      {slave === '' ? null : (
        <Text size="sm" mt={8} data-testid="page-frames">
          {t('remote:page.frames', { slave })}
        </Text>
      )}
      <Refused error={open.error} />
      {blocked === '' ? null : (
        <Alert color="yellow" mt={12}>
          {t('remote:page.blocked')}{' '}
          <Anchor
            href={blocked}
            target="_blank"
            rel="noopener noreferrer"
            data-testid="page-link"
            onClick={() => open.reset()}
          >
            {t('remote:page.link')}
          </Anchor>
        </Alert>
      )}
      <Group gap={8} mt={14}>
        <Button
          leftSection={<IconExternalLink size={16} />}
          disabled={!online || isOthers || hindrance !== ''}
          title={hindrance || undefined}
          loading={open.isPending}
          onClick={() => open.mutate(window.open('', '_blank'))}
          data-testid="open-page"
        >
          {t(isOpen && !isOthers ? 'remote:page.openAgain' : 'remote:page.open')}
        </Button>
        {isOpen ? (
          <Button
            variant="default"
            leftSection={<IconPlugConnectedX size={16} />}
            disabled={hindrance !== ''}
            title={hindrance || undefined}
            loading={close.isPending}
            onClick={() => close.mutate()}
            data-testid="close-page"
          >
            {t('remote:close')}
          </Button>
        ) : null}
      </Group>
    </section>
  );
}

/** The gateway's page at the frames of a slave's port; at its beginning without a slave. */
function pageAt(url: string | null | undefined, slave: string): string | undefined {
  if (url === null || url === undefined || url === '' || slave === '') return url ?? undefined;
  return `${url}#frames=${encodeURIComponent(slave)}`;
}

/** Send the new window on its way, which must not reach back into the portal. False when it was blocked. */
function lead(window: Window | null, url: string | undefined): boolean {
  if (window === null || url === undefined || url === '') return false;
  window.opener = null;
  window.location.replace(url);
  return true;
}

function WebSession({
  expiresMs,
  user,
  isOthers,
}: {
  expiresMs: number | null;
  user: string;
  isOthers: boolean;
}): ReactElement {
  const { t } = useTranslation();
  const now = useServerNow(1000);
  return (
    <div className={classes.lease} data-testid="page-lease">
      {isOthers ? t('remote:refusal.tunnel.held', { user }) : t('remote:page.isOpen')}
      <dl className={classes.facts}>
        <div>
          <dt>{t('remote:fact.user')}</dt>
          <dd>{user}</dd>
        </div>
        <div>
          <dt>{t('remote:fact.left')}</dt>
          <dd data-testid="page-left">{expiresMs === null ? '–' : leftText(expiresMs - now)}</dd>
        </div>
      </dl>
    </div>
  );
}
