import { Text } from '@mantine/core';
import { IconCircle, IconCircleCheck, IconCircleX, IconLoader2 } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeWords } from '@/components/live/useWords';
import { onCommand } from '@/lib/live';
import type { PointValue } from '@/lib/quality';
import { formatClock } from '@/lib/time';
import { COMMAND_POLL_MS, commandStatus } from '../api';
import type { CommandStatus, DataSource } from '../api';
import { codeKey, isFinal, stepsOf } from '../command';
import type { Step, StepState } from '../command';
import classes from '../monitor.module.css';
import { useFormat } from './LiveTable';

const ICONS: Record<StepState, typeof IconCircle> = {
  done: IconCircleCheck,
  active: IconLoader2,
  waiting: IconCircle,
  failed: IconCircleX,
};

interface Props {
  id: string;
  source: DataSource;
  /** What was sent, as it was sent. */
  requested: PointValue;
}

/** Follows one command: pushes as they come, and from 2 s on a look at its state in case they do not. */
function useCommand(id: string): CommandStatus | undefined {
  const cache = useQueryClient();
  const [isDue, setDue] = useState(false);
  const { data } = useQuery({
    queryKey: ['command', id],
    queryFn: () => commandStatus(id),
    enabled: ({ state }) => isDue && !(state.data !== undefined && isFinal(state.data.status)),
    refetchInterval: COMMAND_POLL_MS,
    staleTime: 0,
  });
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), COMMAND_POLL_MS);
    const stop = onCommand((push) => {
      if (push.id !== id) return;
      const { did: _did, type: _type, ...status } = push;
      cache.setQueryData(['command', id], status as unknown as CommandStatus);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [cache, id]);
  const isOver = data !== undefined && isFinal(data.status);
  useEffect(() => {
    if (isOver) void cache.invalidateQueries({ queryKey: ['commands'] });
  }, [cache, isOver]);
  return data;
}

export function CommandTimeline({ id, source, requested }: Props): ReactElement {
  const { t } = useTranslation();
  const command = useCommand(id);
  const status = command?.status ?? 'create';
  return (
    <section aria-label={t('monitor:command.progress')} aria-live="polite" data-testid="command-state" data-state={status}>
      {command === undefined ? (
        <Text size="sm" c="dimmed">
          {t('monitor:command.step.created')}
        </Text>
      ) : (
        <ol className={classes.steps}>
          {stepsOf(command).map((step) => (
            <StepLine key={step.name} step={step} command={command} />
          ))}
        </ol>
      )}
      <Outcome command={command} source={source} requested={requested} />
    </section>
  );
}

function StepLine({ step, command }: { step: Step; command: CommandStatus }): ReactElement {
  const { t } = useTranslation();
  const Icon = ICONS[step.state];
  const key = codeKey(command.code);
  const why = step.state === 'failed' ? [t(`monitor:state.${command.status}`), key === null ? command.code : t(key), command.detail] : [];
  return (
    <li className={classes.step} data-state={step.state}>
      <Icon size={22} stroke={1.6} aria-hidden />
      <span>
        {step.name === 'created' ? t('monitor:command.step.created') : t(`monitor:command.step.${step.name}.${step.state}`)}
        {why.length === 0 ? null : <span className={classes.sub}>{why.filter(Boolean).join(' · ')}</span>}
      </span>
      <span className={`${classes.hint} number`}>{step.at_ms === null ? '' : formatClock(step.at_ms)}</span>
    </li>
  );
}

type OutcomeProps = Pick<Props, 'source' | 'requested'> & { command: CommandStatus | undefined };

/** What was asked for, at once; what the device says, once it has said it. */
function Outcome({ command, source, requested }: OutcomeProps): ReactElement {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  const format = useFormat(source);
  const isDone = command?.status === 'resp';
  return (
    <dl className={classes.facts}>
      <div>
        <dt>{t('monitor:command.requested')}</dt>
        <dd data-testid="command-requested">
          {format(command?.value ?? requested)} {source.unit}
        </dd>
      </div>
      {isDone ? (
        <>
          <div>
            <dt>{t('monitor:command.readBack')}</dt>
            <dd data-testid="command-read-back">
              {format(command.result_value ?? null)} {source.unit}
            </dd>
          </div>
          <div>
            <dt>{t('monitor:command.latency')}</dt>
            <dd data-testid="command-latency">{command.latency_ms === null || command.latency_ms === undefined ? '–' : duration(command.latency_ms)}</dd>
          </div>
        </>
      ) : null}
    </dl>
  );
}
