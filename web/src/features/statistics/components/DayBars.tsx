import { useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import type { DayStatistics } from '../api';
import { highest, stepTo } from '../figures';
import classes from '../statistics.module.css';

interface Props {
  title: string;
  tone: 'bad' | 'warn';
  days: readonly DayStatistics[];
  value: (day: DayStatistics) => number;
}

/** A bar a day. One stop of the keyboard: arrows walk over the days and tell each in words. */
export function DayBars({ title, tone, days, value }: Props): ReactElement {
  const [wanted, setWanted] = useState<number | null>(null);
  const last = days.length - 1;
  const chosen = Math.min(wanted ?? last, last);
  const day = days[chosen];
  const top = highest(days.map(value));
  const label = day === undefined ? '' : `${day.day}: ${value(day)}`;
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = stepTo(event.key, chosen, days.length);
    if (next === null) return;
    event.preventDefault();
    setWanted(next);
  };
  return (
    <figure className={classes.figure}>
      <figcaption>
        {title} <span className={classes.told}>{label}</span>
      </figcaption>
      <div
        className={classes.bars}
        data-tone={tone}
        role="slider"
        tabIndex={0}
        aria-label={title}
        aria-valuemin={0}
        aria-valuemax={Math.max(last, 0)}
        aria-valuenow={Math.max(chosen, 0)}
        aria-valuetext={label}
        onKeyDown={onKeyDown}
      >
        {days.map((each, place) => (
          <span
            key={each.day}
            className={classes.slot}
            data-chosen={place === chosen}
            onPointerEnter={() => setWanted(place)}
            onPointerDown={() => setWanted(place)}
          >
            <span
              className={classes.barOf}
              style={{ height: `${(100 * value(each)) / top}%` }}
              data-none={value(each) === 0}
            />
          </span>
        ))}
      </div>
      <div className={classes.scale} aria-hidden>
        <span>{days[0]?.day ?? ''}</span>
        <span>{days[last]?.day ?? ''}</span>
      </div>
    </figure>
  );
}
