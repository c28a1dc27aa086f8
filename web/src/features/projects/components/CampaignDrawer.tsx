import { Alert, Button, Drawer, Group, Stack, Switch, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { NumberField } from '@/components/form/NumberField';
import { errorText } from '@/components/notices';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Trouble } from '@/components/Trouble';
import { previewQuery, startCampaign } from '../api';
import type { CampaignCounts, Wanted } from '../api';
import classes from '../projects.module.css';

interface Props {
  kind: 'deploy' | 'reboot';
  projectId: number;
  onClose: () => void;
  onStarted: (jobId: number) => void;
}

/** Least and greatest of what is asked. */
const LIMITS = { canary: [0, 100], atOnce: [1, 100], errorShare: [0, 100] } as const;

const START: Wanted = { canary: 1, atOnce: 20, errorShare: 20, wait: false };

/** What a deployment or restart of a whole project would reach, and how careful it is. */
export default function CampaignDrawer({ kind, projectId, onClose, onStarted }: Props): ReactElement {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(previewQuery(projectId));
  const [wanted, setWanted] = useState(START);
  const start = useMutation({
    mutationFn: () => startCampaign(kind, projectId, wanted),
    meta: { errorInPlace: true },
    onSuccess: (job) => onStarted(job.id),
  });
  const number = (name: keyof typeof LIMITS, suffix?: string): ReactElement => (
    <NumberField
      label={t(`projects:campaign.${name}`)}
      description={t(`projects:campaign.${name}Hint`)}
      value={wanted[name]}
      onChange={(value) => setWanted({ ...wanted, [name]: Math.round(Number(value)) || 0 })}
      min={LIMITS[name][0]}
      max={LIMITS[name][1]}
      allowDecimal={false}
      suffix={suffix}
      data-testid={`campaign-${name}`}
    />
  );
  const first = kind === 'deploy' ? 'canary' : 'atOnce';
  const isValid = ([first, 'errorShare'] as const).every(
    (name) => wanted[name] >= LIMITS[name][0] && wanted[name] <= LIMITS[name][1],
  );
  const counts = data?.[kind];
  const toDo = counts === undefined ? 0 : counts.to_do + (wanted.wait ? counts.offline : 0);
  return (
    <Drawer
      opened
      onClose={onClose}
      title={t(`projects:campaign.${kind}`, { title: data?.title ?? '' })}
      size={460}
      data-testid="campaign"
    >
      {counts === undefined ? (
        error === null ? (
          <PageSkeleton />
        ) : (
          <Trouble error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <Stack gap="md">
          <Preview kind={kind} counts={counts} />
          {number(first)}
          {number('errorShare', '%')}
          <Switch
            label={t('projects:campaign.wait')}
            description={t('projects:campaign.waitHint')}
            checked={wanted.wait}
            onChange={({ currentTarget: { checked } }) => setWanted({ ...wanted, wait: checked })}
          />
          {start.error === null ? null : (
            <Text size="sm" c="red" role="alert">
              {errorText(start.error)}
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('base:action.cancel')}
            </Button>
            <Button
              disabled={toDo === 0 || !isValid}
              loading={start.isPending}
              onClick={() => start.mutate()}
              data-testid="campaign-start"
            >
              {t(`projects:campaign.start.${kind}`, { count: toDo })}
            </Button>
          </Group>
        </Stack>
      )}
    </Drawer>
  );
}

function Preview({ kind, counts }: { kind: 'deploy' | 'reboot'; counts: CampaignCounts }): ReactElement {
  const { t } = useTranslation();
  return (
    <Alert color="steel" data-testid="campaign-preview">
      <ul className={classes.counts}>
        <li>{t(`projects:campaign.toDo.${kind}`, { count: counts.to_do })}</li>
        {counts.offline === 0 ? null : <li>{t('projects:campaign.offline', { count: counts.offline })}</li>}
        {counts.unchanged === 0 ? null : <li>{t('projects:campaign.unchanged', { count: counts.unchanged })}</li>}
        {counts.read_only === 0 ? null : <li>{t('projects:campaign.readOnly', { count: counts.read_only })}</li>}
      </ul>
    </Alert>
  );
}
