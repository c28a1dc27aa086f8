import { Switch } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { showSuccess } from '@/components/notices';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Trouble } from '@/components/Trouble';
import { useConfirm } from '@/components/useConfirm';
import type { CloudFlags } from '@/lib/screens';
import { cloudConfigQuery, putCloudConfig } from '../api';
import classes from '../platform.module.css';
import { useMaySet } from './useMaySet';

/** Those with an effect; the values of the reserved ones (ss, rg) go back as they came. */
const FLAGS = ['ot', 'rl', 'announced'] as const satisfies readonly (keyof CloudFlags)[];

/** What this installation offers; each switch says what it brings, and asks before it counts for everybody. */
export function CloudSwitches(): ReactElement {
  const { t } = useTranslation();
  const may = useMaySet();
  const cache = useQueryClient();
  const [ask, dialog] = useConfirm();
  const { data, error, refetch } = useQuery(cloudConfigQuery);
  const change = useMutation({
    mutationFn: putCloudConfig,
    onSuccess: (_done, flags) => {
      cache.setQueryData(cloudConfigQuery.queryKey, flags);
      showSuccess(t('base:form.done.edit'));
    },
    onSettled: () => cache.invalidateQueries({ queryKey: cloudConfigQuery.queryKey }),
  });
  const toggle = async (flag: (typeof FLAGS)[number], flags: CloudFlags): Promise<void> => {
    const on = flags[flag] === 0;
    const question = {
      title: t(on ? 'platform:cloud.turnOn' : 'platform:cloud.turnOff', { name: t(`platform:cloud.${flag}.name`) }),
      text: t('platform:cloud.counts'),
      confirm: t(on ? 'platform:cloud.on' : 'platform:cloud.off'),
      danger: !on,
    };
    if (await ask(question)) change.mutate({ ...flags, [flag]: on ? 1 : 0 });
  };
  if (error !== null) return <Trouble error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <PageSkeleton />;
  return (
    <>
      <ul className={classes.switches}>
        {FLAGS.map((flag) => (
          <li key={flag}>
            <Switch
              label={t(`platform:cloud.${flag}.name`)}
              description={t(`platform:cloud.${flag}.brings`)}
              checked={data[flag] !== 0}
              disabled={!may || change.isPending}
              onChange={() => void toggle(flag, data)}
              data-testid={`flag-${flag}`}
            />
          </li>
        ))}
      </ul>
      {dialog}
    </>
  );
}
