import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ToneText } from '@/components/Tone';
import { useScreenLink } from '@/lib/navigation';
import type { GatewayCompleteness } from '../api';
import classes from '../evidence.module.css';
import { percentText, toneOf } from '../strip';
import { useEvidenceWords } from './useWords';

type Period = Record<'range' | 'start' | 'end', string | undefined>;

interface Props {
  rows: readonly GatewayCompleteness[];
  /** As it stands in the address: a link to a gateway shows the same period. */
  period: Period;
}

const COUNTS = ['received', 'late', 'duplicates', 'missing', 'dropped'] as const;

function useDeviceLink(id: number, period: Period): ReturnType<typeof useScreenLink> {
  const { range, start, end } = period;
  return useScreenLink('/deviceDetail/index', { device_id: id, tab: 'completeness', range, start, end });
}

function Share({ row }: { row: GatewayCompleteness }): ReactElement {
  const { t } = useTranslation();
  if (row.percent === null) return <ToneText tone="off">{t('evidence:list.noData')}</ToneText>;
  return (
    <ToneText tone={toneOf(row)} strong>
      {percentText(row.percent)}
    </ToneText>
  );
}

export function GatewayTable({ rows, period }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <div className={classes.scroll}>
      <table className={classes.table} data-testid="completeness-table">
        <thead>
          <tr>
            <th scope="col">{t('evidence:column.gateway')}</th>
            <th scope="col">{t('evidence:column.percent')}</th>
            {COUNTS.map((name) => (
              <th key={name} scope="col" className={classes.right}>
                {t(`evidence:count.${name}`)}
              </th>
            ))}
            <th scope="col">{t('evidence:column.reason')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.device_id} row={row} period={period} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row, period }: { row: GatewayCompleteness; period: Period }): ReactElement {
  const words = useEvidenceWords();
  const link = useDeviceLink(row.device_id, period);
  return (
    <tr data-testid="completeness-row">
      <th scope="row">
        <a className={classes.title} {...link}>
          {row.device_title}
        </a>
        <span className={`${classes.sub} ${classes.mono}`}>{row.gateway_id}</span>
      </th>
      <td className="number">
        <Share row={row} />
      </td>
      {COUNTS.map((name) => (
        <td key={name} className={`${classes.right} number`}>
          {name === 'dropped' ? row.dropped_samples : row[name]}
        </td>
      ))}
      <td>{words.missing(row.reasons) || '–'}</td>
    </tr>
  );
}

/** The same rows for phones. */
export function GatewayCards({ rows, period }: Props): ReactElement {
  return (
    <ul className={classes.cards} data-testid="completeness-cards">
      {rows.map((row) => (
        <Card key={row.device_id} row={row} period={period} />
      ))}
    </ul>
  );
}

function Card({ row, period }: { row: GatewayCompleteness; period: Period }): ReactElement {
  const { t } = useTranslation();
  const words = useEvidenceWords();
  const link = useDeviceLink(row.device_id, period);
  return (
    <li>
      <a className={classes.card} {...link} data-testid="completeness-row">
        <span className={classes.cardLine}>
          <span className={classes.title}>{row.device_title}</span>
          <Share row={row} />
        </span>
        <span className={classes.mono}>{row.gateway_id}</span>
        <span className={classes.sub}>
          {t('evidence:list.card', { received: row.received, late: row.late, missing: row.missing })}
          {row.missing === 0 ? '' : ` · ${words.missing(row.reasons)}`}
        </span>
      </a>
    </li>
  );
}
