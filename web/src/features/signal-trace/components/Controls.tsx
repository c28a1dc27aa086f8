import { Button, Group, Menu, Switch } from '@mantine/core';
import { IconDownload, IconPlayerPause, IconPlayerPlay, IconPlayerStop, IconTrash } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { datedName, saveText } from '@/components/clipboard';
import type { TraceLine } from '../buffer';
import { asJsonLines, asText } from '../texts';
import type { Trace } from '../useTrace';

const AT_REST: ReadonlySet<string> = new Set(['idle', 'ended']);

interface Props {
  trace: Trace;
  isOnline: boolean;
  /** Why it may not be traced; '' when it may. */
  hindrance: string;
  /** What an export writes. */
  lines: readonly TraceLine[];
  /** Of the gateway. */
  title: string;
  isPaused: boolean;
  onPause: () => void;
  isFollowing: boolean;
  onFollow: (follows: boolean) => void;
  onClear: () => void;
}

/** Start and end, pause, follow, export, clear. */
export function Controls(props: Props): ReactElement {
  const { t } = useTranslation();
  const { trace, isOnline, hindrance, lines, title, isPaused } = props;
  const isAtRest = AT_REST.has(trace.phase);
  const name = (ending: string): string => datedName(`strace ${title}`, ending);
  return (
    <Group gap={8}>
      {isAtRest || trace.phase === 'starting' ? (
        <Button
          leftSection={<IconPlayerPlay size={16} />}
          onClick={trace.start}
          loading={trace.phase === 'starting'}
          disabled={!isOnline || hindrance !== ''}
          title={hindrance || undefined}
          data-testid="strace-start"
        >
          {t('signal-trace:start')}
        </Button>
      ) : (
        <Button
          variant="default"
          leftSection={<IconPlayerStop size={16} />}
          onClick={trace.stop}
          data-testid="strace-stop"
        >
          {t('signal-trace:stop')}
        </Button>
      )}
      <Button
        variant={isPaused ? 'filled' : 'default'}
        leftSection={isPaused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
        onClick={props.onPause}
        disabled={isAtRest && !isPaused}
        aria-pressed={isPaused}
        data-testid="strace-pause"
      >
        {t(isPaused ? 'signal-trace:resume' : 'signal-trace:pause')}
      </Button>
      <Switch
        label={t('signal-trace:follow')}
        checked={props.isFollowing}
        onChange={(event) => props.onFollow(event.currentTarget.checked)}
        data-testid="strace-follow"
      />
      <Menu>
        <Menu.Target>
          <Button
            variant="default"
            ml="auto"
            leftSection={<IconDownload size={16} />}
            disabled={lines.length === 0}
            data-testid="strace-export"
          >
            {t('signal-trace:export.action')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            onClick={() =>
              saveText(
                name('txt'),
                'text/plain;charset=utf-8',
                asText(lines, (count) => t('signal-trace:gap', { count })),
              )
            }
            data-testid="strace-export-text"
          >
            {t('signal-trace:export.text')}
          </Menu.Item>
          <Menu.Item
            onClick={() => saveText(name('jsonl'), 'application/jsonl', asJsonLines(lines))}
            data-testid="strace-export-json"
          >
            {t('signal-trace:export.json')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Button
        variant="default"
        leftSection={<IconTrash size={16} />}
        onClick={props.onClear}
        disabled={lines.length === 0}
        data-testid="strace-clear"
      >
        {t('signal-trace:clear')}
      </Button>
    </Group>
  );
}
