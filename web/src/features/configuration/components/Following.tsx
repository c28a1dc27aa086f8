import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import {
  IconArrowBackUp,
  IconCircle,
  IconCircleCheck,
  IconCircleMinus,
  IconCircleX,
  IconLoader2,
} from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useReasonWords } from '@/blocks/deployment/useReasonWords';
import { useTimeWords } from '@/components/useTimeWords';
import { errorText } from '@/components/notices';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Trouble } from '@/components/Trouble';
import { useServerNow } from '@/components/useNow';
import { formatClock, formatDateTime } from '@/lib/time';
import { deploy, deploymentQuery, revert } from '../api';
import type { ConfigurationState, DeploymentDetail } from '../api';
import classes from '../configuration.module.css';
import { deadlineOf, isFinal, isOverload, missingOf, stateKey, stepsOf, toneOf } from '../deployment';
import type { Step, StepState } from '../deployment';
import { Cancelling } from './Cancelling';
import { Faults } from './Faults';
import { Hash } from './Hash';
import { Loads } from './Loads';
import type { Guard } from './useGuard';
import { useView } from './useView';

const ICONS: Record<StepState, typeof IconCircle> = {
  done: IconCircleCheck,
  active: IconLoader2,
  waiting: IconCircle,
  failed: IconCircleX,
  skipped: IconCircleMinus,
};

interface Props {
  deviceId: number;
  id: string;
  state: ConfigurationState;
  mayManage: boolean;
  guard: Guard;
}

/** One deployment as it goes, and how it ended. It is read from the cloud: a reload changes nothing. */
export function Following({ deviceId, id, state, mayManage, guard }: Props): ReactElement {
  const query = useQuery(deploymentQuery(id));
  if (query.data === undefined) {
    return query.error === null ? (
      <PageSkeleton rows={4} />
    ) : (
      <Trouble error={query.error} onRetry={() => void query.refetch()} />
    );
  }
  const deployment = query.data;
  return (
    <Stack gap="md" data-testid="deployment" data-state={deployment.state}>
      <Which deployment={deployment} state={state} />
      <ol className={classes.steps} aria-live="polite">
        {stepsOf(deployment).map((step) => (
          <StepLine key={step.name} step={step} deployment={deployment} />
        ))}
      </ol>
      <Watching deployment={deployment} mayManage={mayManage} guard={guard} />
      {mayManage ? <Cancelling deployment={deployment} guard={guard} /> : null}
      {deployment.state === 'reverted' ? <StillMissing deployment={deployment} /> : null}
      {deployment.faults.length > 0 ? <Faults hash={deployment.hash} faults={deployment.faults} /> : null}
      {deployment.change === null || deployment.change.ports === undefined ? null : (
        <Loads ports={deployment.change.ports} />
      )}
      {mayManage && isFinal(deployment.state) ? (
        <Next deviceId={deviceId} deployment={deployment} state={state} guard={guard} />
      ) : null}
    </Stack>
  );
}

function Which({ deployment, state }: { deployment: DeploymentDetail; state: ConfigurationState }): ReactElement {
  const { t } = useTranslation();
  const version = state.versions.find(({ hash }) => hash === deployment.hash);
  return (
    <div>
      <Text fw={600} component="span">
        {version?.note || t('configuration:column.version')}
      </Text>{' '}
      <Hash hash={deployment.hash} />
      <span className={classes.sub}>
        {t('configuration:deploy.by', { user: deployment.user, time: formatDateTime(deployment.created_ms) })}
      </span>
    </div>
  );
}

function StepLine({ step, deployment }: { step: Step; deployment: DeploymentDetail }): ReactElement {
  const { t } = useTranslation();
  const Icon = ICONS[step.state];
  const isWaiting = deployment.state === 'created' && deployment.wait && step.name === 'sent';
  const name = step.name === 'ended' && isFinal(deployment.state) ? stateKey(deployment.state) : null;
  return (
    <li className={classes.step} data-state={step.state} data-testid={`step-${step.name}`}>
      <Icon size={22} stroke={1.6} aria-hidden className={step.state === 'active' ? classes.spins : undefined} />
      <span>
        {isWaiting
          ? t('configuration:step.waits', { time: formatDateTime(deployment.expires_ms) })
          : name === null
            ? t(`configuration:step.${step.name}.${step.state}`)
            : t(name)}
        {step.name === 'ended' ? <Reason deployment={deployment} /> : null}
      </span>
      <span className={`${classes.hint} number`}>{step.at_ms === null ? '' : formatClock(step.at_ms)}</span>
    </li>
  );
}

/** Why it ended as it did, in the user's language as far as it can be told, then in the gateway's own words. */
function Reason({ deployment }: { deployment: DeploymentDetail }): ReactElement | null {
  const reason = useReasonWords();
  const { code, detail, state } = deployment;
  if (!isFinal(state) || (code === '' && detail === '')) return null;
  return (
    <span className={classes.sub} data-testid="deployment-reason">
      {reason(code, deployment.faults.length > 0 ? '' : detail)}
    </span>
  );
}

/** How long the gateway still watches before it goes back by itself. */
function Watching({
  deployment,
  mayManage,
  guard,
}: Pick<Props, 'mayManage' | 'guard'> & { deployment: DeploymentDetail }): ReactElement | null {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  const now = useServerNow(1000);
  const stop = useMutation({ mutationFn: () => revert(deployment.id), meta: { errorInPlace: true } });
  const deadline = deadlineOf(deployment);
  if (deadline === null) return null;
  return (
    <Alert color="steel" data-testid="watching">
      <Stack gap={8}>
        <span>
          {deadline > now
            ? t('configuration:deploy.watching', { left: duration(deadline - now) })
            : t('configuration:deploy.overdue')}
        </span>
        <StillMissing deployment={deployment} />
        {stop.error === null ? null : (
          <Text size="sm" c="red" role="alert">
            {errorText(stop.error)}
          </Text>
        )}
        {mayManage ? (
          <Group>
            <Button
              variant="default"
              leftSection={<IconArrowBackUp size={16} />}
              loading={stop.isPending}
              title={guard.title}
              disabled={stop.isSuccess || guard.disabled}
              onClick={() => stop.mutate()}
              data-testid="return-now"
            >
              {t(stop.isSuccess ? 'configuration:deploy.returning' : 'configuration:deploy.returnNow')}
            </Button>
          </Group>
        ) : null}
      </Stack>
    </Alert>
  );
}

/** Slaves and points for which the trial waits, by name as far as the gateway names them. */
function StillMissing({ deployment }: { deployment: DeploymentDetail }): ReactElement | null {
  const { t } = useTranslation();
  const missing = missingOf(deployment);
  if (missing === null) return null;
  const named = (names: string[], more: number): string =>
    `${names.join(t('configuration:comma'))}${more === 0 ? '' : t('configuration:deploy.andMore', { count: more })}`;
  return (
    <ul className={classes.faults} aria-label={t('configuration:deploy.stillMissing')} data-testid="still-missing">
      {missing.link ? <li>{t('configuration:deploy.missingLink')}</li> : null}
      {missing.slaves.length === 0 ? null : (
        <li>{t('configuration:deploy.missingSlaves', { names: named(missing.slaves, missing.moreSlaves) })}</li>
      )}
      {missing.points.length === 0 ? null : (
        <li>{t('configuration:deploy.missingPoints', { names: named(missing.points, missing.morePoints) })}</li>
      )}
    </ul>
  );
}

interface NextProps {
  deviceId: number;
  deployment: DeploymentDetail;
  state: ConfigurationState;
  guard: Guard;
}

/** What one does next: back to what ran before, mend the draft, try again, or overrule the estimate of a bus. */
function Next({ deviceId, deployment, state, guard }: NextProps): ReactElement {
  const { t } = useTranslation();
  const { show } = useView();
  const overrule = useMutation({
    mutationFn: () =>
      deploy(deviceId, {
        hash: deployment.hash,
        force: true,
        confirm_s: deployment.confirm_s,
        healthy_share: deployment.healthy_share,
      }),
    onSuccess: ({ id }) => show({ deployment: id }),
  });
  const isWell = toneOf(deployment.state) === 'ok';
  const { base } = deployment;
  // Forced, it would replace whatever runs by now; 'try again' tells of that first.
  const isOverAnother = base !== null && base !== state.running?.hash;
  const mayGoBack =
    deployment.state === 'confirmed' &&
    base !== null &&
    base !== state.running?.hash &&
    state.running?.hash === deployment.hash;
  return (
    <Group justify="flex-end" gap={8}>
      {mayGoBack ? (
        <Button
          {...guard}
          variant="default"
          leftSection={<IconArrowBackUp size={16} />}
          onClick={() => show({ deployment: undefined, deploy: base })}
          data-testid="go-back"
        >
          {t('configuration:action.goBack')}
        </Button>
      ) : null}
      {isOverload(deployment) && !isOverAnother ? (
        <Button {...guard} variant="default" loading={overrule.isPending} onClick={() => overrule.mutate()}>
          {t('configuration:action.overrule')}
        </Button>
      ) : null}
      {isWell ? null : (
        <>
          <Button
            {...guard}
            variant="default"
            onClick={() =>
              show({ deployment: undefined, deploy: undefined, view: 'document', version: deployment.hash, edit: true })
            }
          >
            {t('configuration:action.mend')}
          </Button>
          <Button {...guard} variant="default" onClick={() => show({ deployment: undefined, deploy: deployment.hash })}>
            {t('configuration:action.again')}
          </Button>
        </>
      )}
      <Button onClick={() => show({ deployment: undefined, deploy: undefined })}>{t('base:action.close')}</Button>
    </Group>
  );
}
