import { Alert, Button, Group, Select, Stack, Table, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import { errorText } from '@/components/notices';
import { refusalText } from '@/components/refusal';
import { useTimeWords } from '@/components/useTimeWords';
import { serverNow } from '@/lib/serverClock';
import { formatDateTime } from '@/lib/time';
import { tryRule } from '../api';
import type { BacktestRow } from '../api';
import { dataOf } from '../coverage';
import { missing, ruleBody } from '../draft';
import type { ConditionDraft, Draft, RuleDraft } from '../draft';
import classes from '../triggers.module.css';
import { Coverage } from './Coverage';

const DAY_MS = 86_400_000;
const DAYS = ['1', '7', '30'];
const MAX_SHOWN = 200;

interface Props {
  form: ApiForm<Draft>;
  rule: RuleDraft;
}

interface Result {
  row: BacktestRow;
  /** The rule that was tried: another one since says nothing of it. */
  tried: string;
  conditions: readonly ConditionDraft[];
}

/** When this rule would have made alarms, before it is saved. */
export function Backtest({ form, rule }: Props): ReactElement {
  const { t } = useTranslation();
  const [days, setDays] = useState('7');
  const { type, interval_s } = form.fields.getValues();
  const interval = type === '2' ? Number(interval_s) : 0;
  const asked = JSON.stringify([ruleBody(rule), interval, days]);
  const trying = useMutation({
    mutationFn: async (): Promise<Result> => {
      const end = serverNow();
      const row = await tryRule(ruleBody(rule), interval, end - Number(days) * DAY_MS, end);
      return { row, tried: asked, conditions: rule.conditions };
    },
    meta: { errorInPlace: true },
  });
  const isFilled = missing({ title: '-', type, interval_s, enabled: true, rules: [{ ...rule, linkage: [] }] }).every(
    (path) => path.endsWith('.title'),
  );
  return (
    <Stack gap="xs">
      <Group align="flex-end">
        <Select
          label={t('triggers:backtest.period')}
          data={DAYS.map((value) => ({ value, label: t('triggers:backtest.days', { count: Number(value) }) }))}
          allowDeselect={false}
          value={days}
          onChange={(value) => setDays(value ?? '7')}
        />
        <Button
          variant="light"
          disabled={!isFilled}
          loading={trying.isPending}
          onClick={() => trying.mutate()}
          data-testid="backtest"
        >
          {t('triggers:backtest.try')}
        </Button>
      </Group>
      <div role="status">
        {trying.error === null ? null : (
          <Text size="sm" c="red">
            {refusalText(trying.error) ?? errorText(trying.error)}
          </Text>
        )}
        {trying.data === undefined ? null : <Outcome result={trying.data} isOld={trying.data.tried !== asked} />}
      </div>
    </Stack>
  );
}

function Outcome({ result: { row, conditions }, isOld }: { result: Result; isOld: boolean }): ReactElement {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  const known = dataOf(row.coverage);
  const words = (): string => {
    if (row.count > 0)
      return t('triggers:backtest.outcome', { count: row.count, short: row.short, time: duration(row.raised_ms) });
    return t(`triggers:backtest.quiet.${known}`);
  };
  return (
    <Stack gap="xs">
      <Alert
        color={isOld ? 'gray' : known === 'all' ? 'blue' : 'yellow'}
        data-testid="backtest-outcome"
        data-count={row.count}
      >
        {words()}
        {isOld ? ` ${t('triggers:backtest.old')}` : null}
      </Alert>
      <Coverage coverage={row.coverage} conditions={conditions} />
      {row.episodes.length === 0 ? null : (
        <div className={classes.episodes} tabIndex={0} role="region" aria-label={t('triggers:backtest.list')}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                {['begin', 'lasted', 'value'].map((name) => (
                  <Table.Th key={name}>{t(`triggers:backtest.${name}`)}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {row.episodes.slice(0, MAX_SHOWN).map(({ raised_ms, cleared_ms, value }) => (
                <Table.Tr key={raised_ms}>
                  <Table.Td>{formatDateTime(raised_ms)}</Table.Td>
                  <Table.Td>
                    {cleared_ms === null ? t('triggers:backtest.lasts') : duration(cleared_ms - raised_ms)}
                  </Table.Td>
                  <Table.Td className="number">{String(value ?? '–')}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </Stack>
  );
}
