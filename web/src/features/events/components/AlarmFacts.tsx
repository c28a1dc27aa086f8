import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { levelsQuery } from '../api';
import type { AlarmRow } from '../api';
import classes from '../events.module.css';
import { useAlarmColumns } from './useAlarmColumns';

/** All that is known of an event. */
export function AlarmFacts({ row }: { row: AlarmRow }): ReactElement {
  const { data: levels = [] } = useQuery(levelsQuery);
  const columns = useAlarmColumns(levels);
  return (
    <dl className={classes.facts} data-testid="alarm-facts">
      {columns.map(({ id, title, cell }) => (
        <div key={id}>
          <dt>{title}</dt>
          <dd>{cell(row)}</dd>
        </div>
      ))}
    </dl>
  );
}
