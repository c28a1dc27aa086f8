import { ActionIcon, Loader, Popover } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { wantSounds } from '@/lib/sounds';
import { badgeText } from '../badge';
import classes from '../events.module.css';
import { wantsTone } from '../settings';
import { SoundBlocked } from './SoundBlocked';
import { useEventFeed } from './useEventFeed';
import { useSettings } from './useSettings';
import { useUnread } from './useUnread';

/** By specification. */
export const POPOVER_PX = 338;

const Panel = lazy(() => import('./Panel'));
const SettingsDrawer = lazy(() => import('./SettingsDrawer'));

/** Bell with the number of unread events; listens for all that happens, also while it is closed. */
export function Bell(): ReactElement {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const [setting, setSetting] = useState(false);
  const settings = useSettings();
  const { alarm, onoffline } = useUnread();
  const text = badgeText(alarm + onoffline);
  const sounds = wantsTone(settings.active);
  useEventFeed(settings.active);
  useEffect(() => (sounds ? wantSounds() : undefined), [sounds]);
  return (
    <>
      {sounds ? <SoundBlocked /> : null}
      <Popover
        opened={open}
        onChange={setOpen}
        width={POPOVER_PX}
        position="bottom-end"
        trapFocus
        returnFocus
        withinPortal
      >
        <Popover.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            className={classes.bell}
            onClick={() => setOpen(!open)}
            aria-haspopup="dialog"
            aria-label={text === '' ? t('events:bell.none') : t('events:bell.some', { count: text })}
            data-testid="notifications"
          >
            <IconBell size={20} stroke={1.6} />
            {text === '' ? null : (
              <span className={classes.badge} aria-hidden data-testid="notifications-badge">
                {text}
              </span>
            )}
          </ActionIcon>
        </Popover.Target>
        <Popover.Dropdown p={0} aria-label={t('events:panel.title')} data-testid="notifications-panel">
          <Suspense fallback={<Loader className={classes.loading} size="sm" />}>
            <Panel
              onClose={() => setOpen(false)}
              onSettings={() => {
                setOpen(false);
                setSetting(true);
              }}
            />
          </Suspense>
        </Popover.Dropdown>
      </Popover>
      <Suspense fallback={null}>
        {setting ? <SettingsDrawer settings={settings} onClose={() => setSetting(false)} /> : null}
      </Suspense>
    </>
  );
}
