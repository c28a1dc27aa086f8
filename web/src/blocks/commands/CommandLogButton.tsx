import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { IconTerminal2 } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useScreenLink } from '@/lib/navigation';
import { mayOpen, screenAt } from '@/lib/screens';
import { useAccess } from '@/lib/session';

const PATH = '/deviceDetail/index';

export interface Gateway {
  device_id: number;
  device_title: string;
}

interface Props {
  kind: 'trigger' | 'exchange' | 'task';
  /** Number of the trigger, the rule or the task. */
  id: number;
  title: string;
  /** That it writes to; one may stand there more than once. */
  gateways: readonly Gateway[];
}

/** Leads to what a trigger, an exchange rule or a timed task wrote: the command log of its gateway, or of one of them. */
export function CommandLogButton({ kind, id, title, gateways }: Props): ReactElement | null {
  const { t } = useTranslation();
  const access = useAccess();
  const screen = screenAt(PATH);
  const each = [...new Map(gateways.map((gateway) => [gateway.device_id, gateway])).values()];
  const [first] = each;
  if (first === undefined || screen === undefined || !mayOpen(screen, access)) return null;
  const label = t('base:commandLog.of', { title });
  const icon = <IconTerminal2 size={16} stroke={1.6} />;
  if (each.length === 1) return <LinkIcon search={searchOf(kind, id, first.device_id)} label={label} icon={icon} />;
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Tooltip label={t('base:commandLog.open')}>
          <ActionIcon variant="subtle" color="gray" aria-label={label} data-testid="command-log-menu">
            {icon}
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('base:commandLog.which')}</Menu.Label>
        {each.map(({ device_id, device_title }) => (
          <LinkItem key={device_id} search={searchOf(kind, id, device_id)} words={device_title} />
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

type Search = Record<string, string | number>;

/** The command log of a gateway, of this origin alone. */
function searchOf(origin: Props['kind'], id: number, device_id: number): Search {
  return { device_id, tab: 'cmdlog', origin, origin_id: id };
}

function LinkIcon({ search, label, icon }: { search: Search; label: string; icon: ReactElement }): ReactElement {
  const { t } = useTranslation();
  const link = useScreenLink(PATH, search);
  return (
    <Tooltip label={t('base:commandLog.open')}>
      <ActionIcon
        component="a"
        variant="subtle"
        color="gray"
        aria-label={label}
        data-testid="command-log-link"
        {...link}
      >
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}

function LinkItem({ search, words }: { search: Search; words: string }): ReactElement {
  return (
    <Menu.Item component="a" data-testid="command-log-choice" {...useScreenLink(PATH, search)}>
      {words}
    </Menu.Item>
  );
}
