import { Alert, Button, Group, Stack, Table, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
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
import { Coverage, UpTo } from './Coverage';

const MAX_SHOWN = 200;

interface Props {
  form: ApiForm<Draft>;
  rule: RuleDraft;
  /** How much of the past. */
  spanMs: number;
}

interface Result {
  row: BacktestRow;
  endMs: number;
  /** The rule that was tried: another one since says nothing of it. */
  tried: string;
  conditions: readonly ConditionDraft[];
}

/** When this rule would have made alarms, before it is saved. */
export function Backtest({ form, rule, spanMs }: Props): ReactElement {
  const { t } = useTranslation();
  const { type, interval_s } = form.fields.getValues();
  const interval = type === '2' ? Number(interval_s) : 0;
  const asked = JSON.stringify([ruleBody(rule), interval, spanMs]);
  const trying = useMutation({
    mutationFn: async (): Promise<Result> => {
      const endMs = serverNow();
      const row = await tryRule(ruleBody(rule), interval, endMs - spanMs, endMs);
      return { row, endMs, tried: asked, conditions: rule.conditions };
    },
    meta: { errorInPlace: true },
  });
  const isFilled = missing({ title: '-', type, interval_s, enabled: true, rules: [{ ...rule, linkage: [] }] }).every(
    (path) => path.endsWith('.title'),
  );
  return (
    <Stack gap="xs">
      <Group>
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

function Outcome({ result: { row, endMs, conditions }, isOld }: { result: Result; isOld: boolean }): ReactElement {
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
      {row.upto_ms < endMs ? <UpTo ms={row.upto_ms} /> : null}
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
