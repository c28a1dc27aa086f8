import { Anchor, Button, Checkbox, Loader } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconCircleDashed } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '@/api/errors';
import type { ConfigurationState } from '@/api/generated/types.gen';
import { errorText } from '@/components/notices';
import { usePerm } from '@/components/permission';
import { useScreenLink } from '@/lib/navigation';
import { deployDraft } from '../api';
import classes from '../devices.module.css';
import { isOvertaken } from '../wizard';
import type { Stage } from '../wizard';

const WhyFailed = lazy(() => import('./WhyFailed'));

const LINES = {
  away: 'later',
  unknown: 'waits',
  behind: 'wrong',
  empty: 'wrong',
  draft: 'waits',
  underway: 'waits',
  failed: 'wrong',
  deployed: 'done',
} as const;

interface Props {
  id: number;
  stage: Stage;
  hasDraft: boolean;
  ground: string;
  /** The deployment that was begun last. */
  last: ConfigurationState['deployment'];
}

/** What was chosen is a draft until it is deployed: by itself when the gateway comes, or by the button. ground: see groundOf. */
export function Deploying({ id, stage, hasDraft, ground, last }: Props): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const may = usePerm('DeviceManage');
  const points = useScreenLink('/device/gateway/slavedevice', { device_id: id });
  const configuration = useScreenLink('/deviceDetail/index', { device_id: id, tab: 'configuration' });
  const [itself, setItself] = useState(true);
  const { mutate, status, isPending, error, variables } = useMutation({
    mutationFn: (_ground: string) => deployDraft(id),
    meta: { errorInPlace: true },
    onSettled: () => void cache.invalidateQueries({ queryKey: ['configuration', id] }),
  });
  const isPast = isOvertaken(error instanceof ApiError ? error.facts.reason : '', variables, ground);
  const isDue = stage === 'draft' && itself && may && (status === 'idle' || isPast);
  useEffect(() => {
    if (isDue) mutate(ground);
  }, [isDue, mutate, ground]);
  const failure = error === null || isPast || stage === 'underway' || stage === 'deployed' ? '' : errorText(error);
  const isBare = stage === 'away' && !hasDraft;
  return (
    <Line state={failure === '' ? LINES[stage] : 'wrong'}>
      {failure === '' ? t(isBare ? 'devices:arrival.bare' : `devices:arrival.stage.${stage}`) : failure}{' '}
      {stage === 'away' && hasDraft && may ? (
        <Checkbox
          mt={6}
          size="sm"
          label={t('devices:arrival.itself')}
          checked={itself}
          onChange={(event) => setItself(event.currentTarget.checked)}
          data-testid="wizard-deploys"
        />
      ) : null}
      {stage === 'failed' && last !== null ? (
        <Suspense fallback={null}>
          <WhyFailed deviceId={id} deployment={last} />
        </Suspense>
      ) : null}
      {may && (stage === 'failed' || stage === 'draft') ? (
        <Button
          mt={stage === 'failed' ? 6 : 0}
          size="compact-sm"
          loading={isPending || isDue}
          onClick={() => mutate(ground)}
          data-testid="wizard-deploy"
        >
          {t('devices:arrival.deploy')}
        </Button>
      ) : null}
      {stage === 'behind' ? <Anchor {...configuration}>{t('devices:arrival.look')}</Anchor> : null}
      {stage === 'empty' || isBare ? <Anchor {...points}>{t('devices:slavesAndPoints')}</Anchor> : null}
    </Line>
  );
}

const ICONS = {
  done: <IconCircleCheck size={18} color="var(--tone-ok)" aria-hidden />,
  waits: <Loader size={16} aria-hidden />,
  partly: <IconAlertTriangle size={18} color="var(--tone-warn)" aria-hidden />,
  later: <IconCircleDashed size={18} color="var(--mantine-color-dimmed)" aria-hidden />,
  wrong: <IconAlertTriangle size={18} color="var(--tone-bad)" aria-hidden />,
};

/** One line of what a new gateway goes through. */
export function Line({ state, children }: { state: keyof typeof ICONS; children: ReactNode }): ReactElement {
  return (
    <li className={classes.waitLine}>
      {ICONS[state]}
      <div>{children}</div>
    </li>
  );
}
