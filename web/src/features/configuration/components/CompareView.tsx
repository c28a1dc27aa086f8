import { Button } from '@mantine/core';
import { IconArrowRight, IconArrowsExchange, IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Trouble } from '@/components/Trouble';
import { differenceQuery } from '../api';
import type { ConfigurationState } from '../api';
import classes from '../configuration.module.css';
import { DifferenceView } from './DifferenceView';
import type { Guard } from './useGuard';
import { useView } from './useView';
import { VersionSelect } from './VersionSelect';

interface Props {
  deviceId: number;
  state: ConfigurationState;
  mayManage: boolean;
  guard: Guard;
}

/** Any two versions beside each other; at first what runs and the draft, or the version before. */
export default function CompareView({ deviceId, state, mayManage, guard }: Props): ReactElement {
  const { t } = useTranslation();
  const { from, to, show } = useView();
  const before = from ?? (state.draft === null ? previous(state) : state.running?.hash);
  const after = to ?? state.draft?.hash ?? state.running?.hash;
  const query = useQuery({
    ...differenceQuery(deviceId, before ?? '', after ?? ''),
    enabled: before !== undefined && after !== undefined,
  });
  const isDeployable = mayManage && after !== undefined && after !== state.running?.hash && after !== state.draft?.hash;
  return (
    <>
      <div className={classes.bar}>
        <VersionSelect
          label={t('configuration:diff.from')}
          state={state}
          value={before ?? null}
          onChange={(hash) => show({ from: hash, to: after })}
        />
        <IconArrowRight size={16} aria-hidden />
        <VersionSelect
          label={t('configuration:diff.to')}
          state={state}
          value={after ?? null}
          onChange={(hash) => show({ from: before, to: hash })}
        />
        <Button
          variant="default"
          leftSection={<IconArrowsExchange size={16} />}
          onClick={() => show({ from: after, to: before })}
        >
          {t('configuration:diff.swap')}
        </Button>
        {isDeployable ? (
          <Button
            {...guard}
            ml="auto"
            leftSection={<IconPlayerPlay size={16} />}
            onClick={() => show({ deploy: after })}
            data-testid="deploy-compared"
          >
            {t('configuration:action.deployVersion')}
          </Button>
        ) : null}
      </div>
      {before === undefined || after === undefined ? (
        <Empty title={t('configuration:diff.choose')} />
      ) : query.data !== undefined ? (
        <DifferenceView key={`${before}${after}`} difference={query.data} />
      ) : query.error === null ? (
        <PageSkeleton />
      ) : (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      )}
    </>
  );
}

/** The version from which the running one was made, else the next older one. */
function previous(state: ConfigurationState): string | undefined {
  const at = state.versions.findIndex(({ hash }) => hash === state.running?.hash);
  return state.versions[at]?.parent ?? state.versions[at + 1]?.hash;
}
