import { Group, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { SearchBox } from '@/components/SearchBox';
import { PagedTable } from '@/components/table/PagedTable';
import { usePages, useStepBack } from '@/components/usePages';
import { gatewaysQuery, isMoving, UPGRADE_STATES } from '../api';
import type { PlanDetail, UpgradeRow } from '../api';
import classes from '../firmware.module.css';
import { useUpgradeColumns } from './useUpgradeColumns';

interface Props {
  plan: PlanDetail;
  /** Of a gateway's upgrade, and number of a wave; '' for all. */
  step: string;
  wave: string;
  onStep: (step: string) => void;
  onClear: () => void;
}

const rowId = (row: UpgradeRow): number => row.id;

/** Every gateway of a plan with how its newest attempt stands, what failed first. */
export function PlanGateways({ plan, step, wave, onStep, onClear }: Props): ReactElement {
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  const columns = useUpgradeColumns('plan');
  const pages = usePages(`${step} ${wave} ${search} ${plan.is_back}`);
  const query = useQuery(
    gatewaysQuery(
      {
        plan: plan.id,
        states: UPGRADE_STATES.filter((state) => state === step),
        wave: wave === '' ? null : Number(wave),
        search,
        page: pages.page,
        limit: pages.limit,
      },
      isMoving(plan),
    ),
  );
  useStepBack(pages, query);
  useAgain(JSON.stringify(plan.steps), query.refetch);
  const isFiltered = step !== '' || wave !== '' || search !== '';
  const clear = (): void => {
    setSearch('');
    onClear();
  };
  return (
    <section className={classes.panel} aria-label={t('firmware:field.gateways')}>
      <Group className={classes.filters}>
        <h2 style={{ margin: 0, fontSize: 14, marginRight: 'auto' }}>{t('firmware:field.gateways')}</h2>
        <Select
          aria-label={t('firmware:field.state')}
          placeholder={t('firmware:field.state')}
          data={UPGRADE_STATES.map((value) => ({ value, label: t(`firmware:part.${value}`) }))}
          value={step === '' ? null : step}
          onChange={(value) => onStep(value ?? '')}
          clearable
          w={150}
          data-testid="plan-gateway-state"
        />
        <SearchBox
          label={t('firmware:log.search')}
          value={search}
          onChange={(text) => setSearch(text ?? '')}
          testId="plan-gateway-search"
        />
      </Group>
      {isFiltered ? (
        <Text size="xs" c="dimmed" px={16} pb={8} role="status">
          {[
            step === '' ? '' : t(`firmware:part.${step}`),
            wave === '' ? '' : t('firmware:wave.name', { number: Number(wave) + 1 }),
          ]
            .filter(Boolean)
            .join(' · ')}
        </Text>
      ) : null}
      <PagedTable
        name="plan-gateways"
        label={t('firmware:field.gateways')}
        columns={columns}
        rowId={rowId}
        pages={pages}
        query={query}
        filtered={isFiltered}
        onClear={clear}
        empty={{ title: t('firmware:plan.noGateways'), text: t('firmware:plan.noGatewaysText') }}
      />
    </section>
  );
}

/** The plan says that something has changed: its last step is seen too, after which nobody asks any more. */
function useAgain(marks: string, refetch: () => unknown): void {
  const seen = useRef(marks);
  useEffect(() => {
    if (seen.current === marks) return;
    seen.current = marks;
    void refetch();
  }, [marks, refetch]);
}
