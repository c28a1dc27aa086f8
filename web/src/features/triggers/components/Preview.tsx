import { Alert, Button, Group, Select, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import { errorText } from '@/components/notices';
import { refusalText } from '@/components/refusal';
import { serverNow } from '@/lib/serverClock';
import { formatDateTime } from '@/lib/time';
import { previewQuery } from '../api';
import type { BacktestRow } from '../api';
import { COMPARISON, missing, NOT_CONNECTED, ruleBody } from '../draft';
import type { ConditionDraft, Draft, RuleDraft } from '../draft';
import { Coverage, UpTo } from './Coverage';
import { useSource } from './useSource';

const PreviewChart = lazy(() => import('./PreviewChart'));

const CHART_PX = 240;
/** After the last change of the rule. */
const SETTLED_MS = 600;

interface Props {
  form: ApiForm<Draft>;
  path: string;
  rule: RuleDraft;
  /** How much of the past. */
  spanMs: number;
}

/** The past with the threshold to be moved, when the rule would have fired, and how everything is now. */
export function Preview({ form, path, rule, spanMs }: Props): ReactElement | null {
  const { t } = useTranslation();
  const [end, setEnd] = useState(serverNow);
  const [shown, setShown] = useState('0');
  const { type, interval_s } = form.fields.getValues();
  const interval = type === '2' ? Number(interval_s) : 0;
  const isFilled = missing({ title: '-', type, interval_s, enabled: true, rules: [{ ...rule, linkage: [] }] }).every(
    (each) => each.endsWith('.title'),
  );
  const [settled] = useDebouncedValue(
    isFilled ? JSON.stringify({ ...ruleBody({ ...rule, linkage: [] }), title: '-', alarm_notify: true }) : '',
    SETTLED_MS,
  );
  const tried = useQuery(previewQuery(settled, interval, end - spanMs, end));
  const compared = rule.conditions.flatMap((condition, at) =>
    condition.type === COMPARISON && condition.subject !== null ? [{ condition, at }] : [],
  );
  const chosen = compared.find(({ at }) => String(at) === shown) ?? compared[0];
  if (!isFilled && chosen === undefined) return null;
  const result = isFilled ? tried.data : undefined;
  const isCut = result !== undefined && !tried.isPlaceholderData && result.upto_ms < end;
  return (
    <Stack gap="xs" data-testid="preview">
      <Group justify="space-between" align="flex-end">
        <Text fw={600}>{t('triggers:preview.title')}</Text>
        {compared.length > 1 ? (
          <Select
            label={t('triggers:preview.condition')}
            data={compared.map(({ at }) => ({
              value: String(at),
              label: t('triggers:preview.number', { number: at + 1 }),
            }))}
            allowDeselect={false}
            value={String(chosen?.at ?? 0)}
            onChange={(value) => setShown(value ?? '0')}
          />
        ) : null}
        <Button
          variant="light"
          size="xs"
          leftSection={<IconRefresh size={14} stroke={1.6} aria-hidden />}
          disabled={!isFilled}
          loading={tried.isFetching}
          onClick={() => setEnd(serverNow())}
          data-testid="test-now"
        >
          {t('triggers:preview.now')}
        </Button>
      </Group>
      {chosen === undefined ? null : (
        <Suspense fallback={<Skeleton height={CHART_PX} />}>
          <PreviewChart
            form={form}
            path={`${path}.conditions.${chosen.at}`}
            condition={chosen.condition}
            start={end - spanMs}
            end={end}
            result={result}
          />
        </Suspense>
      )}
      <div role="status">
        {tried.error === null || !isFilled ? null : (
          <Text size="sm" c="red">
            {refusalText(tried.error) ?? errorText(tried.error)}
          </Text>
        )}
        {result === undefined ? null : isCut ? (
          <Cut result={result} conditions={rule.conditions} />
        ) : (
          <Now rule={rule} result={result} />
        )}
      </div>
    </Stack>
  );
}

/** There was more than one try takes: nothing is known of how it is now. */
function Cut({ result, conditions }: { result: BacktestRow; conditions: readonly ConditionDraft[] }): ReactElement {
  return (
    <Stack gap="xs">
      <UpTo ms={result.upto_ms} />
      <Coverage coverage={result.coverage} conditions={conditions} />
    </Stack>
  );
}

/** Each condition with the newest value of its point, and whether the rule holds: as the cloud's engine says. */
function Now({ rule, result }: { rule: RuleDraft; result: BacktestRow }): ReactElement {
  const { t } = useTranslation();
  const isUnknown = rule.conditions.some(
    ({ type }, at) => type !== NOT_CONNECTED && result.at_end[at] !== undefined && result.at_end[at].t_ms === null,
  );
  return (
    <Stack gap="xs">
      <Alert
        color={result.holds ? 'red' : isUnknown ? 'yellow' : 'teal'}
        data-testid="rule-now"
        data-holds={result.holds}
      >
        {t(`triggers:preview.${result.holds ? 'holds' : isUnknown ? 'unknown' : 'holdsNot'}`)}
      </Alert>
      <Coverage coverage={result.coverage} conditions={rule.conditions} />
      <Table>
        <Table.Thead>
          <Table.Tr>
            {['condition', 'value', 'at', 'holdsNow'].map((name) => (
              <Table.Th key={name}>{t(`triggers:preview.${name}`)}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rule.conditions.slice(0, result.at_end.length).map((condition, at) => (
            <Condition key={condition.key} condition={condition} number={at + 1} end={result.at_end[at]} />
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

interface ConditionProps {
  condition: ConditionDraft;
  number: number;
  end: BacktestRow['at_end'][number] | undefined;
}

function Condition({ condition, number, end }: ConditionProps): ReactElement {
  const { t } = useTranslation();
  const source = useSource(condition);
  const name = condition.type === NOT_CONNECTED ? undefined : source?.ds_title;
  const value = typeof end?.value === 'boolean' ? t(`base:value.${end.value ? 'on' : 'off'}`) : end?.value;
  return (
    <Table.Tr data-testid="condition-now">
      <Table.Td>{[t('triggers:preview.number', { number }), name].filter(Boolean).join(' · ')}</Table.Td>
      <Table.Td className="number">{value == null ? '–' : [value, source?.unit].filter(Boolean).join(' ')}</Table.Td>
      <Table.Td>{end?.t_ms == null ? '–' : formatDateTime(end.t_ms)}</Table.Td>
      <Table.Td>{t(end?.is_true === true ? 'triggers:preview.yes' : 'triggers:preview.no')}</Table.Td>
    </Table.Tr>
  );
}
