import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import page from '@/components/page.module.css';
import { ScreenLink } from '@/components/ScreenLink';
import { StatusBadge } from '@/components/StatusBadge';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import { useSwitchWords } from '@/blocks/live/useWords';
import { formatValue } from '@/lib/numbers';
import type { SwitchWords } from '@/lib/numbers';
import { formatDateTime } from '@/lib/time';
import type { ExchangePoint, ExchangeRow } from '../api';
import { formulaOf } from '../draft';

/** Of a write whose state does not say what became of it. */
const OUTCOME_WORDS: Readonly<Record<string, string>> = {
  unknown: 'base:outcome.unknown',
  settled_written: 'base:outcome.writtenShort',
  settled_other: 'base:outcome.otherShort',
};

export function useRuleColumns(): readonly Column<ExchangeRow>[] {
  const { t } = useTranslation();
  const switchWords = useSwitchWords();
  return useMemo(() => {
    const words = ({ device_title, gateway_id, slave_title, ds_title, ds_name }: ExchangePoint): string =>
      `${device_title || gateway_id} · ${slave_title} · ${ds_title || ds_name}`;
    const every = (row: ExchangeRow): string =>
      row.every_s === 0 ? t('exchange:eachChange') : t('exchange:everyS', { count: row.every_s });
    const problem = (row: ExchangeRow): string => t(`exchange:problem.${row.problem}`);
    const state = (row: ExchangeRow): string => {
      if (!row.enabled) return t('exchange:off');
      if (row.problem !== '') return problem(row);
      if (row.status === '') return '-';
      const known = OUTCOME_WORDS[row.outcome ?? ''];
      return t(known ?? `base:code.command.${row.status}`);
    };
    const home = (row: ExchangeRow): string => (row.enabled ? t(`exchange:home.${row.home}`) : '-');
    const reason = (row: ExchangeRow): string =>
      row.enabled && row.home_reason !== '' ? t(`exchange:homeReason.${row.home_reason}`) : '';
    return [
      {
        id: 'title',
        title: t('exchange:field.title'),
        fixed: true,
        card: 'title',
        cell: (row) => row.title,
        text: (row) => row.title,
      },
      {
        id: 'source',
        title: t('exchange:end.source'),
        card: 'fact',
        cell: (row) => <End point={row.source} />,
        text: (row) => words(row.source),
      },
      {
        id: 'target',
        title: t('exchange:end.target'),
        card: 'fact',
        cell: (row) => <End point={row.target} />,
        text: (row) => words(row.target),
      },
      {
        id: 'formula',
        title: t('exchange:formula'),
        cell: (row) => <span style={{ whiteSpace: 'nowrap' }}>{formulaOf(row.ratio, row.bias)}</span>,
        text: (row) => formulaOf(row.ratio, row.bias),
      },
      { id: 'every', title: t('exchange:often'), cell: every, text: every },
      {
        id: 'home',
        title: t('exchange:runsAt'),
        card: 'fact',
        cell: (row) => <Home row={row} words={home(row)} reason={reason(row)} />,
        text: (row) => [home(row), reason(row)].filter((part) => part !== '').join(' · '),
      },
      {
        id: 'last',
        title: t('exchange:last'),
        card: 'fact',
        cell: (row) => <Last row={row} words={switchWords} />,
        text: (row) =>
          row.last_ms === null ? '' : `${displayValue(row, switchWords)} · ${formatDateTime(row.last_ms)}`,
      },
      {
        id: 'state',
        title: t('exchange:state'),
        card: 'mark',
        cell: (row) => <State row={row} words={state(row)} />,
        text: state,
      },
    ];
  }, [t, switchWords]);
}

/** The point, and below it where it is. */
function End({ point }: { point: ExchangePoint }): ReactElement {
  const { device_id, device_title, gateway_id, slave_title, ds_title, ds_name } = point;
  return (
    <>
      <ScreenLink path="/deviceDetail/index" search={{ device_id }} className={page.title}>
        {ds_title || ds_name}
      </ScreenLink>
      <span className={page.sub}>
        {device_title || gateway_id} · {slave_title}
      </span>
    </>
  );
}

/** Where a rule runs, and below it why that is the cloud. */
function Home({ row, words, reason }: { row: ExchangeRow; words: string; reason: string }): ReactElement {
  return (
    <>
      <ToneText tone={!row.enabled ? 'off' : row.home === 'moving' ? 'warn' : 'ok'}>{words}</ToneText>
      {reason !== '' && <span className={page.sub}>{reason}</span>}
    </>
  );
}

/** What was written, as its target calls it. */
function displayValue({ last_value, target }: ExchangeRow, words: SwitchWords): string {
  return formatValue(last_value, { ...target, decimals: null }, words);
}

function Last({ row, words }: { row: ExchangeRow; words: SwitchWords }): ReactElement {
  if (row.last_ms === null) return <>-</>;
  return (
    <>
      <span className="number">{displayValue(row, words)}</span>
      <span className={page.sub}>{formatDateTime(row.last_ms)}</span>
    </>
  );
}

function State({ row, words }: { row: ExchangeRow; words: string }): ReactElement {
  if (!row.enabled) return <ToneText tone="off">{words}</ToneText>;
  if (row.problem !== '') return <ToneText tone="bad">{words}</ToneText>;
  if (OUTCOME_WORDS[row.outcome ?? ''] !== undefined)
    return (
      <ToneText tone={row.outcome === 'settled_written' ? 'ok' : row.outcome === 'unknown' ? 'warn' : 'bad'}>
        {words}
      </ToneText>
    );
  return <StatusBadge kind="command" code={row.status === '' ? null : row.status} />;
}
