import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useGo } from '@/lib/navigation';
import { useMay } from '@/lib/session';
import { JobProgress } from '../jobs/JobProgress';
import { useJob } from '../jobs/useJob';
import { reasonText } from '@/components/refusal';
import { Trouble } from '@/components/Trouble';
import type { ImportEndpoints } from './endpoints';
import { faultWords } from './faultText';

interface Props {
  id: string;
  jobId: number;
  endpoints: ImportEndpoints;
  onBack: () => void;
  onClose: () => void;
}

/** How it ended: what was done, with the secrets of new gateways, or why nothing was. */
export function ResultStep({ jobId, endpoints, onBack, onClose }: Props): ReactElement {
  const { t, i18n } = useTranslation();
  const { job, error, refetch } = useJob(jobId);
  const code = job?.code.replace('import.', '') ?? '';
  const words = `base:import.failure.${code}`;
  const fault = faultWords(code, {});
  const isOver = job !== undefined && job.state !== 'generating';
  const counts = job?.summary ?? {};
  const created = Number(counts.added ?? 0);
  const go = useGo();
  const [managesProjects, manages] = [useMay('ProjectManage'), useMay('DeviceManage')];
  const place = placeOf(endpoints.deviceId, managesProjects && manages, manages);
  const leaveFor = ({ path, search }: Place): void => {
    onClose();
    go(path, search);
  };
  const [removed, kept] = [Number(counts.removed ?? 0), Number(counts.kept ?? 0)];
  return (
    <Stack gap="md" data-testid="import-result" data-state={job?.state}>
      {job !== undefined || error === null ? null : <Trouble error={error} onRetry={() => void refetch()} />}
      {job === undefined ? null : <JobProgress job={job} />}
      {job?.state === 'completed' ? (
        <>
          <Text size="sm">
            {t('base:import.done', {
              added: created,
              changed: Number(counts.changed ?? 0),
              drafts: Number(counts.drafts ?? 0),
            })}
          </Text>
          {removed === 0 ? null : (
            <Text size="sm" data-testid="import-removed">
              {t('base:import.removal.removed', { count: removed })}
            </Text>
          )}
          {kept === 0 ? null : <Alert color="orange">{t('base:import.removal.kept', { count: kept })}</Alert>}
          {created === 0 ? null : <Alert color="orange">{t('base:import.secrets')}</Alert>}
          {Number(counts.drafts ?? 0) === 0 ? null : (
            <Group justify="space-between">
              <Text size="sm" c="dimmed">
                {t('base:import.deploy')}
              </Text>
              {place === null ? null : (
                <Button variant="light" onClick={() => leaveFor(place)} data-testid="import-deploy">
                  {t(endpoints.deviceId === undefined ? 'base:import.toProjects' : 'base:import.toDeploy')}
                </Button>
              )}
            </Group>
          )}
        </>
      ) : null}
      {job?.state === 'failed' ? (
        <Alert color="red" title={t('base:import.failed')}>
          {i18n.exists(words)
            ? t(words, { names: job.detail })
            : fault === null
              ? (reasonText(job.code) ?? job.detail)
              : t('base:import.failedAt', { name: job.detail, fault })}
        </Alert>
      ) : null}
      <Group justify="space-between">
        {job?.state === 'completed' || !isOver ? (
          <span />
        ) : (
          <Button variant="default" onClick={onBack}>
            {t('base:import.again')}
          </Button>
        )}
        <Button onClick={onClose} variant={isOver ? 'filled' : 'default'} data-testid="import-close">
          {t('base:action.close')}
        </Button>
      </Group>
    </Stack>
  );
}

interface Place {
  path: string;
  search: Record<string, number | string>;
}

/** Where drafts are deployed: of one gateway its configuration, of several their project's campaign. */
function placeOf(deviceId: number | undefined, deploysProjects: boolean, deploys: boolean): Place | null {
  if (deviceId !== undefined)
    return deploys ? { path: '/deviceDetail/index', search: { device_id: deviceId, tab: 'configuration' } } : null;
  return deploysProjects ? { path: '/group/index', search: {} } : null;
}
