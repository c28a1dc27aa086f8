import { ActionIcon, Button, Checkbox } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './table.module.css';
import type { Columns } from './useColumns';

/** Which columns are shown, and in what order. */
export default function ColumnChoices<Row>({ columns }: { columns: Columns<Row> }): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      <ul className={classes.choices}>
        {columns.all.map((column) => (
          <li key={column.id} className={classes.choice}>
            <Checkbox
              label={column.title}
              size="sm"
              checked={columns.isVisible(column)}
              disabled={column.fixed === true}
              onChange={() => columns.toggle(column.id)}
              data-testid={`column-${column.id}`}
            />
            <span>
              <Move
                up
                title={column.title}
                onClick={() => columns.move(column.id, -1)}
                disabled={!columns.isVisible(column)}
              />
              <Move
                title={column.title}
                onClick={() => columns.move(column.id, 1)}
                disabled={!columns.isVisible(column)}
              />
            </span>
          </li>
        ))}
      </ul>
      <Button variant="subtle" color="gray" size="compact-sm" onClick={columns.reset}>
        {t('base:table.reset')}
      </Button>
    </>
  );
}

interface MoveProps {
  up?: boolean;
  title: string;
  disabled: boolean;
  onClick: () => void;
}

function Move({ up = false, title, disabled, onClick }: MoveProps): ReactElement {
  const { t } = useTranslation();
  const Icon = up ? IconArrowUp : IconArrowDown;
  const label = up ? t('base:table.moveUp', { title }) : t('base:table.moveDown', { title });
  return (
    <ActionIcon variant="subtle" color="gray" size={26} disabled={disabled} onClick={onClick} aria-label={label}>
      <Icon size={15} stroke={1.6} />
    </ActionIcon>
  );
}
