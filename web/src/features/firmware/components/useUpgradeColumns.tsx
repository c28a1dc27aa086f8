import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { sizeText } from '@/blocks/jobs/jobs';
import page from '@/components/page.module.css';
import { ScreenLink } from '@/components/ScreenLink';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import { formatDateTime } from '@/lib/time';
import type { UpgradeRow } from '../api';
import { loadedPercent, UPGRADE_TONES } from '../steps';
import { useUpgradeWords } from './useUpgradeWords';

/** Where upgrades are listed: what the place says already is no column there. */
export type Place = 'plan' | 'log' | 'gateway';

const time = (ms: number | null): string => (ms === null ? '-' : formatDateTime(ms));

export function useUpgradeColumns(place: Place): readonly Column<UpgradeRow>[] {
  const { t } = useTranslation();
  const words = useUpgradeWords();
  return useMemo(() => {
    const state = (row: UpgradeRow): string => {
      const said = t(`firmware:part.${row.state}`);
      return row.is_back ? t('firmware:backPart', { state: said }) : said;
    };
    const loaded = (row: UpgradeRow): string => {
      const percent = loadedPercent(row);
      return percent === null ? '-' : `${percent} %`;
    };
    const bytes = (row: UpgradeRow): string => `${sizeText(row.done)} / ${sizeText(row.size)}`;
    const step: Column<UpgradeRow> = {
      id: 'state',
      title: t('firmware:field.state'),
      card: 'mark',
      cell: (row) => <ToneText tone={UPGRADE_TONES[row.state]}>{state(row)}</ToneText>,
      text: state,
    };
    const gateway: Column<UpgradeRow> = {
      id: 'gateway',
      title: t('firmware:field.gateway'),
      fixed: true,
      card: 'title',
      cell: (row) => <Gateway row={row} />,
      text: (row) => row.device_title,
    };
    const plan: Column<UpgradeRow> = {
      id: 'plan',
      title: t('firmware:field.plan'),
      fixed: place === 'gateway',
      card: place === 'gateway' ? 'title' : 'fact',
      cell: (row) => <Plan row={row} words={words.plan(row)} />,
      text: words.plan,
    };
    const wave = (row: UpgradeRow): string =>
      row.wave === 0 && !row.is_back ? t('firmware:wave.canary') : String(row.wave + 1);
    const others: Column<UpgradeRow>[] = [
      {
        id: 'wave',
        title: t('firmware:field.wave'),
        hidden: place !== 'plan',
        card: place === 'plan' ? 'fact' : undefined,
        cell: wave,
        text: wave,
      },
      {
        id: 'loaded',
        title: t('firmware:field.loaded'),
        align: 'right',
        card: 'fact',
        cell: (row) => (
          <>
            <span className="number">{loaded(row)}</span>
            {row.done > 0 ? <span className={page.sub}>{bytes(row)}</span> : null}
          </>
        ),
        text: (row) => (row.done > 0 ? `${loaded(row)} ${bytes(row)}` : ''),
      },
      {
        id: 'why',
        title: t('firmware:field.why'),
        card: 'fact',
        cell: (row) => (
          <>
            {words.why(row) || '-'}
            {row.detail === '' ? null : <span className={page.sub}>{words.detail(row)}</span>}
          </>
        ),
        text: (row) => [words.why(row), words.detail(row)].filter(Boolean).join(': '),
      },
      {
        id: 'running',
        title: t('firmware:field.running'),
        card: 'fact',
        cell: (row) => {
          const { release, note } = words.running(row);
          return (
            <>
              {release}
              {note === '' ? null : <span className={page.sub}>{note}</span>}
            </>
          );
        },
        text: (row) => Object.values(words.running(row)).filter(Boolean).join(': '),
      },
      { id: 'from', title: t('firmware:field.from_version'), card: 'fact', cell: words.from, text: words.from },
      { id: 'wanted', title: t('firmware:field.version'), card: 'fact', cell: words.wanted, text: words.wanted },
      {
        id: 'attempt',
        title: t('firmware:field.attempt'),
        align: 'right',
        cell: (row) => <span className="number">{row.attempt}</span>,
        text: (row) => String(row.attempt),
      },
      {
        id: 'created',
        title: t('firmware:field.created_ms'),
        hidden: place === 'plan',
        cell: (row) => <span className="number">{time(row.created_ms)}</span>,
        text: (row) => time(row.created_ms),
      },
      {
        id: 'ordered',
        title: t('firmware:field.ordered_ms'),
        hidden: true,
        cell: (row) => <span className="number">{time(row.ordered_ms)}</span>,
        text: (row) => time(row.ordered_ms),
      },
      {
        id: 'step',
        title: t('firmware:field.step_ms'),
        hidden: place !== 'plan',
        cell: (row) => <span className="number">{time(row.step_ms)}</span>,
        text: (row) => time(row.step_ms),
      },
      {
        id: 'ended',
        title: t('firmware:field.ended_ms'),
        hidden: place === 'plan',
        card: place === 'plan' ? undefined : 'fact',
        cell: (row) => <span className="number">{time(row.ended_ms)}</span>,
        text: (row) => time(row.ended_ms),
      },
    ];
    const first = { plan: [gateway], log: [gateway, plan], gateway: [plan] }[place];
    return [...first, step, ...others];
  }, [t, words, place]);
}

function Gateway({ row }: { row: UpgradeRow }): ReactElement {
  return (
    <>
      <ScreenLink
        path="/deviceDetail/index"
        search={{ device_id: row.device_id, tab: 'upgrades' }}
        className={page.title}
      >
        {row.device_title}
      </ScreenLink>
      {row.device_title === row.gateway_id ? null : <span className={page.sub}>{row.gateway_id}</span>}
    </>
  );
}

/** Of a plan that is gone the number alone stays. */
function Plan({ row, words }: { row: UpgradeRow; words: string }): ReactElement {
  if (row.plan_id === null) return <>{words}</>;
  return (
    <ScreenLink path="/ota/firmware" search={{ plan: row.plan_id }} className={page.title}>
      {words}
    </ScreenLink>
  );
}
