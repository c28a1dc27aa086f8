import { ActionIcon, Button, Tabs, Tooltip } from '@mantine/core';
import { IconChecks, IconSettings } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MouseEvent, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useScreenLink } from '@/lib/navigation';
import { useMay } from '@/lib/session';
import { readAll, unreadQuery } from '../api';
import { badgeText } from '../badge';
import classes from '../events.module.css';
import { PanelAlarms, PanelOnOffs } from './PanelLists';
import { useUnread } from './useUnread';

const KINDS = {
  alarm: { permission: 'Event', path: '/alarm/alarmlog' },
  onoffline: { permission: 'DeviceMonitor_Online', path: '/alarm/onOffline' },
} as const;
type Kind = keyof typeof KINDS;

interface Props {
  onClose: () => void;
  onSettings: () => void;
}

/** The newest events in two lists, and what can be done with all of them. */
export default function Panel({ onClose, onSettings }: Props): ReactElement {
  const { t } = useTranslation();
  const may = { alarm: useMay(KINDS.alarm.permission), onoffline: useMay(KINDS.onoffline.permission) };
  const kinds = (Object.keys(KINDS) as Kind[]).filter((kind) => may[kind]);
  const unread = useUnread();
  const [kind, setKind] = useState<Kind>(() => kinds.find((each) => unread[each] > 0) ?? kinds[0] ?? 'alarm');
  return (
    <Tabs
      value={kind}
      onChange={(next) => next !== null && setKind(next as Kind)}
      keepMounted={false}
      className={classes.panel}
    >
      <div className={classes.head}>
        <Tabs.List>
          {kinds.map((each) => (
            <Tabs.Tab key={each} value={each} data-testid={`events-tab-${each}`}>
              {t(`events:tab.${each}`)}
              {unread[each] > 0 ? <span className={classes.count}>{badgeText(unread[each])}</span> : null}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <ReadAll kind={kind} unread={unread[kind]} />
        <Tooltip label={t('events:settings.title')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            onClick={onSettings}
            aria-label={t('events:settings.title')}
            data-testid="events-settings"
          >
            <IconSettings size={18} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      </div>
      <Tabs.Panel value="alarm">
        <PanelAlarms onFollow={onClose} />
      </Tabs.Panel>
      <Tabs.Panel value="onoffline">
        <PanelOnOffs onFollow={onClose} />
      </Tabs.Panel>
      <FullLog kind={kind} onClose={onClose} />
    </Tabs>
  );
}

function ReadAll({ kind, unread }: { kind: Kind; unread: number }): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => readAll(kind),
    onSuccess: (left) => cache.setQueryData(unreadQuery.queryKey, left),
  });
  return (
    <Tooltip label={t('events:panel.readAll')}>
      <ActionIcon
        variant="subtle"
        color="gray"
        onClick={() => unread > 0 && mutate()}
        loading={isPending}
        data-disabled={unread === 0 || undefined}
        aria-disabled={unread === 0 || undefined}
        aria-label={t('events:panel.readAll')}
        data-testid="events-read-all"
      >
        <IconChecks size={18} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}

function FullLog({ kind, onClose }: { kind: Kind; onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const { href, onClick } = useScreenLink(KINDS[kind].path);
  const follow = (event: MouseEvent): void => {
    onClick(event);
    onClose();
  };
  return (
    <Button
      component="a"
      href={href}
      onClick={follow}
      variant="subtle"
      fullWidth
      className={classes.all}
      data-testid="events-full-log"
    >
      {t(`events:panel.all.${kind}`)}
    </Button>
  );
}
