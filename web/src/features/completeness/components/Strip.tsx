import { useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Completeness } from '../api';
import classes from '../completeness.module.css';
import { isOffline, labelOf, markOf, MARKS, offsetMinutes, rowsOf, stepOf } from '../strip';
import type { Row, Width } from '../strip';
import { useCompletenessWords } from './useCompletenessWords';

interface Props {
  data: Completeness;
  width: Width;
}

/** Hours or days as cells of colour and pattern. One stop of the keyboard: arrows walk over the cells and tell each in words. */
export function Strip({ data, width }: Props): ReactElement {
  const { t } = useTranslation();
  const words = useCompletenessWords();
  const { buckets, outages } = data;
  const last = buckets.length - 1;
  const [wanted, setWanted] = useState<number | null>(null);
  const chosen = Math.min(wanted ?? last, last);
  const bucket = buckets[chosen];
  const text =
    bucket === undefined ? '' : `${words.period(bucket)} · ${words.bucket(bucket, isOffline(bucket, outages))}`;
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = stepOf(event.key, chosen, buckets.length, width);
    if (next === null) return;
    event.preventDefault();
    setWanted(next);
  };
  return (
    <>
      <div
        className={classes.strip}
        role="slider"
        tabIndex={0}
        aria-label={t('completeness:strip.label')}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={chosen}
        aria-valuetext={text}
        onKeyDown={onKeyDown}
        data-testid="strip"
      >
        {rowsOf(buckets, width, offsetMinutes(data.from_ms)).map((row) => (
          <StripRow key={row.label_ms} row={row} data={data} width={width} chosen={chosen} onChoose={setWanted} />
        ))}
        <Scale width={width} />
      </div>
      <div className={classes.chosen} data-testid="strip-chosen">
        {text}
      </div>
      <Legend />
    </>
  );
}

interface RowProps extends Props {
  row: Row;
  chosen: number;
  onChoose: (index: number) => void;
}

function StripRow({ row, data, width, chosen, onChoose }: RowProps): ReactElement {
  return (
    <div className={classes.stripRow} style={{ '--cells': row.cells.length } as never}>
      <span className={classes.stripLabel}>{labelOf(row, width)}</span>
      {row.cells.map(({ place, index }) => {
        const bucket = index === null ? undefined : data.buckets[index];
        if (index === null || bucket === undefined) return <span key={place} />;
        return (
          <span
            key={place}
            className={classes.cell}
            data-mark={markOf(bucket)}
            data-offline={isOffline(bucket, data.outages)}
            data-chosen={index === chosen}
            onPointerEnter={() => onChoose(index)}
            onPointerDown={() => onChoose(index)}
          />
        );
      })}
    </div>
  );
}

/** Hours of the day, or days of the month, under the cells. */
function Scale({ width }: { width: Width }): ReactElement {
  const count = width === 'hour' ? 24 : 31;
  const isNamed = (place: number): boolean =>
    width === 'hour' ? place % 6 === 0 : place === 0 || (place + 1) % 10 === 0;
  return (
    <div className={classes.stripRow} style={{ '--cells': count } as never} aria-hidden>
      <span />
      {Array.from({ length: count }, (_, place) => (
        <span key={place} className={classes.scale}>
          {isNamed(place) ? (width === 'hour' ? place : place + 1) : ''}
        </span>
      ))}
    </div>
  );
}

function Legend(): ReactElement {
  const { t } = useTranslation();
  return (
    <ul className={classes.legend} aria-label={t('completeness:strip.legend')}>
      {MARKS.map((mark) => (
        <li key={mark}>
          <span className={classes.cell} data-mark={mark} />
          {t(`completeness:mark.${mark}`)}
        </li>
      ))}
      <li>
        <span className={classes.cell} data-mark="complete" data-offline="true" />
        {t('completeness:mark.offline')}
      </li>
    </ul>
  );
}
