import { Alert, Button, Collapse, Group as Line, Select, SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { NumberField } from '@/components/form/NumberField';
import { errorText } from '@/components/notices';
import { PermButton } from '@/components/permission';
import { useConfirm } from '@/components/useConfirm';
import { useTimeWords } from '@/components/useTimeWords';
import { PLANS, previewQuery, runPlan } from '../api';
import type { PlanRow } from '../api';
import classes from '../parameters.module.css';

/** Lowest and highest of what is asked. */
const LIMITS = { canary: [0, 100], errorShare: [0, 100] } as const;
const CONFIRM_S = [30, 60, 120, 300, 600, 900];
const EXPIRES_S = [3_600, 86_400, 604_800];
const SHARES = [1, 0.9, 0.75, 0.5, 0];
const START = { canary: 1, errorShare: 20, wait: false, expires_s: 86_400, confirm_s: 300, healthy_share: 0.9 };

interface Props {
  plan: PlanRow;
  /** Numbers of the gateways that are tried again; null for all of the plan's. */
  only: readonly number[] | null;
  onStarted: (jobId: number) => void;
  onCancel?: () => void;
}

/** How careful a run is, and the question how many gateways it may change. */
export function RunForm({ plan, only, onStarted, onCancel }: Props): ReactElement {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  const cache = useQueryClient();
  const [ask, dialog] = useConfirm();
  const [isOpen, setIsOpen] = useState(only !== null);
  const [wanted, setWanted] = useState(START);
  const version = plan.version ?? 1;
  const counts = useQuery(previewQuery(plan.id, version, 1, 20)).data?.counts;
  const reached = (counts?.[''] ?? 0) + (wanted.wait ? (counts?.offline ?? 0) : 0);
  const count = only === null ? reached : only.length;
  const run = useMutation({
    mutationFn: () =>
      runPlan(plan.id, {
        version,
        device_ids: only === null ? [] : [...only],
        canary: wanted.canary,
        error_share: wanted.errorShare / 100,
        wait: wanted.wait,
        expires_s: wanted.expires_s,
        confirm_s: wanted.confirm_s,
        healthy_share: wanted.healthy_share,
      }),
    meta: { errorInPlace: true },
    onSuccess: (job) => {
      void cache.invalidateQueries({ queryKey: PLANS });
      onStarted(job.id);
    },
  });
  const isValid = (['canary', 'errorShare'] as const).every(
    (name) => wanted[name] >= LIMITS[name][0] && wanted[name] <= LIMITS[name][1],
  );
  const why = plan.enabled === false ? t('parameters:run.disabled') : count === 0 ? t('parameters:run.nothing') : '';
  const start = async (): Promise<void> => {
    const question = {
      title: t('parameters:run.title', { title: plan.title, version }),
      text: t('parameters:run.question', { count }),
      confirm: t('parameters:run.start', { count }),
      danger: true,
    };
    if (await ask(question)) run.mutate();
  };
  const number = (name: keyof typeof LIMITS, suffix?: string): ReactElement => (
    <NumberField
      label={t(`parameters:run.${name}`)}
      description={t(`parameters:run.${name}Hint`)}
      value={wanted[name]}
      onChange={(value) => setWanted({ ...wanted, [name]: Math.round(Number(value)) || 0 })}
      min={LIMITS[name][0]}
      max={LIMITS[name][1]}
      allowDecimal={false}
      suffix={suffix}
      data-testid={`run-${name}`}
    />
  );
  const choice = (
    name: 'confirm_s' | 'expires_s' | 'healthy_share',
    values: readonly number[],
    word: (value: number) => string,
  ): ReactElement => (
    <Select
      label={t(`parameters:run.${name}`)}
      data={values.map((value) => ({ value: String(value), label: word(value) }))}
      value={String(wanted[name])}
      onChange={(value) => value !== null && setWanted({ ...wanted, [name]: Number(value) })}
      allowDeselect={false}
    />
  );
  const seconds = (value: number): string => duration(value * 1000);
  const percent = (value: number): string => (value === 0 ? t('parameters:run.anyShare') : `${value * 100} %`);
  return (
    <div className={classes.change} data-testid="plan-run-form">
      {only === null ? null : <Text mb="xs">{t('parameters:run.again', { count: only.length })}</Text>}
      <Collapse expanded={isOpen}>
        <Stack gap="sm" mb="sm">
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {number('canary')}
            {number('errorShare', '%')}
            {choice('confirm_s', CONFIRM_S, seconds)}
            {choice('healthy_share', SHARES, percent)}
          </SimpleGrid>
          <Switch
            label={t('parameters:run.wait')}
            description={t('parameters:run.waitHint')}
            checked={wanted.wait}
            onChange={({ currentTarget: { checked } }) => setWanted({ ...wanted, wait: checked })}
            data-testid="run-wait"
          />
          {wanted.wait ? choice('expires_s', EXPIRES_S, seconds) : null}
        </Stack>
      </Collapse>
      {run.error === null ? null : (
        <Alert color="red" role="alert" mb="sm" data-testid="run-failure">
          {errorText(run.error)}
        </Alert>
      )}
      <Line gap={8}>
        <PermButton
          asks="DeviceManage"
          why={why || (isValid ? '' : t('parameters:run.invalid'))}
          leftSection={<IconPlayerPlay size={16} />}
          loading={run.isPending}
          onClick={() => void start()}
          data-testid="plan-run"
        >
          {t('parameters:run.start', { count })}
        </PermButton>
        <Button variant="subtle" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)} data-testid="run-options">
          {t('parameters:run.options')}
        </Button>
        {onCancel === undefined ? null : (
          <Button variant="default" onClick={onCancel}>
            {t('base:action.cancel')}
          </Button>
        )}
      </Line>
      {dialog}
    </div>
  );
}
