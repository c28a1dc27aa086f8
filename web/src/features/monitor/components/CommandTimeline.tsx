import { Text } from '@mantine/core';
import { IconCircle, IconCircleCheck, IconCircleX, IconHelpCircle, IconLoader2 } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeWords } from '@/components/useTimeWords';
import { ToneText } from '@/components/Tone';
import type { PointValue } from '@/lib/quality';
import { formatClock } from '@/lib/time';
import type { CommandStatus, DataSource } from '../api';
import { outcomeOf, stepsOf, wasUnknown } from '../command';
import type { Step, StepState } from '../command';
import classes from '../monitor.module.css';
import { stateTone } from './commandTone';
import { useFormat } from './LiveTable';
import { useStateWords } from './useStateWords';
import { useWhyWords } from './useWhyWords';

const ICONS: Record<StepState, typeof IconCircle> = {
  done: IconCircleCheck,
  active: IconLoader2,
  waiting: IconCircle,
  failed: IconCircleX,
  unknown: IconHelpCircle,
};

interface Props {
  command: CommandStatus | undefined;
  source: DataSource;
  /** What was sent, as it was sent. */
  requested: PointValue;
}

export function CommandTimeline({ command, source, requested }: Props): ReactElement {
  const { t } = useTranslation();
  const status = command?.status ?? 'create';
  return (
    <section
      aria-label={t('monitor:command.progress')}
      aria-live="polite"
      data-testid="command-state"
      data-state={status}
      data-outcome={command?.outcome ?? ''}
    >
      {command === undefined ? null : <Settled command={command} source={source} />}
      <CommandSteps command={command} />
      <Outcome command={command} source={source} requested={requested} />
    </section>
  );
}

/** The life of a command in three steps, of a point or of the gateway as a whole. */
export function CommandSteps({ command }: { command: CommandStatus | undefined }): ReactElement {
  const { t } = useTranslation();
  if (command === undefined) {
    return (
      <Text size="sm" c="dimmed">
        {t('monitor:command.step.created')}
      </Text>
    );
  }
  return (
    <ol className={classes.steps}>
      {stepsOf(command).map((step) => (
        <StepLine key={step.name} step={step} command={command} />
      ))}
    </ol>
  );
}

function StepLine({ step, command }: { step: Step; command: CommandStatus }): ReactElement {
  const { t } = useTranslation();
  const Icon = ICONS[step.state];
  const reason = useWhyWords()(command);
  const why =
    step.state === 'failed'
      ? [t(`monitor:state.${command.status}`), ...reason]
      : step.state === 'unknown'
        ? reason
        : [];
  const ofPoint = (command.dsid ?? null) !== null;
  return (
    <li className={classes.step} data-state={step.state}>
      <Icon size={22} stroke={1.6} aria-hidden />
      <span>
        {step.name === 'created'
          ? t('monitor:command.step.created')
          : step.state === 'unknown'
            ? t(outcomeOf(command) === 'unknown' ? 'monitor:command.outcomeStep' : 'monitor:command.unconfirmed')
            : step.name === 'verified' && !ofPoint
              ? t(`monitor:action.step.${step.state}`)
              : t(`monitor:command.step.${step.name}.${step.state}`)}
        {why.length === 0 ? null : <span className={classes.sub}>{why.filter(Boolean).join(' · ')}</span>}
      </span>
      <span className={`${classes.hint} number`}>{step.at_ms === null ? '' : formatClock(step.at_ms)}</span>
    </li>
  );
}

/** What became of a write whose end nobody saw: it decides, so it stands first. */
function Settled({ command, source }: { command: CommandStatus; source: DataSource }): ReactElement | null {
  const format = useFormat(source);
  const words = useStateWords();
  if (!wasUnknown(outcomeOf(command))) return null;
  return (
    <p className={classes.verdict} data-testid="command-outcome">
      <ToneText tone={stateTone(command)} strong>
        {words(command, `${format(command.result_value ?? null)} ${source.unit}`.trim())}
      </ToneText>
    </p>
  );
}

/** What was asked for, at once; what the device says, once it has said it. */
function Outcome({ command, source, requested }: Props): ReactElement {
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
            <dd data-testid="command-latency">
              {command.latency_ms === null || command.latency_ms === undefined ? '–' : duration(command.latency_ms)}
            </dd>
          </div>
        </>
      ) : null}
    </dl>
  );
}
