import { ActionIcon, Button, Collapse, Group, Input, MultiSelect, SimpleGrid, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Code, FormField, Row } from '../model/form';
import { proposed, rowsFor } from '../model/suggest';
import type { PointChoice } from '../model/suggest';
import { newRow } from '../model/values';
import { useWords } from '../useWords';
import classes from '../forwarding.module.css';
import { OptionField, pointOptions } from './OptionField';

interface Props {
  field: FormField;
  rows: readonly Row[];
  errors: Readonly<Record<string, ReactNode>>;
  /** Of the field in the form. */
  path: string;
  dataPathOf: (path: string) => string;
  onChange: (rows: readonly Row[]) => void;
  points: readonly PointChoice[];
  codes: readonly Code[];
}

const SHOWN = 50;

/** Rows of a target: which point stands for what at the platform. */
export function RowsField({ field, rows, errors, path, dataPathOf, onChange, points, codes }: Props): ReactElement {
  const { t } = useTranslation();
  const words = useWords();
  const [chosen, setChosen] = useState<string[]>([]);
  const add = (): void => {
    const picked = points.filter(({ name }) => chosen.includes(name));
    onChange([...rows, ...rowsFor(field, rows, picked, codes)]);
    setChosen([]);
  };
  const change = (at: number, column: FormField, value: unknown): void => {
    const point = column.picker === 'point' && column.more !== true ? points.find(({ name }) => name === value) : null;
    const proposals = point == null ? {} : emptyOnly(rows[at] ?? {}, proposed(field, point, codes));
    onChange(rows.map((row, each) => (each === at ? { ...row, ...proposals, [column.name]: value } : row)));
  };
  return (
    <Input.Wrapper
      label={words(field)}
      description={field.hint === undefined ? undefined : words(field.hint)}
      error={errors[path]}
      data-testid={`field-${path}`}
    >
      <Group align="end" gap="xs" mt={6} wrap="nowrap">
        <MultiSelect
          flex={1}
          label={t('forwarding:rows.points')}
          data={pointOptions(points)}
          value={chosen}
          onChange={setChosen}
          searchable
          limit={SHOWN}
          hidePickedOptions
          data-testid="rows-points"
        />
        <Button variant="default" disabled={chosen.length === 0} onClick={add} data-testid="rows-add-points">
          {t('forwarding:rows.addPoints')}
        </Button>
      </Group>
      <ol className={classes.rows} aria-label={words(field)}>
        {rows.map((row, at) => (
          // Rows have no name of their own, and their places are what the gateway's faults name.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={at} className={classes.row} data-testid="mapping-row">
            <RowFields
              columns={field.columns ?? []}
              row={row}
              errors={errors}
              path={`${path}.${at}`}
              dataPathOf={dataPathOf}
              points={points}
              codes={codes}
              onChange={(column, value) => change(at, column, value)}
              onRemove={() => onChange(rows.filter((_row, each) => each !== at))}
              number={at + 1}
            />
          </li>
        ))}
      </ol>
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('forwarding:rows.none')}
        </Text>
      ) : null}
      <Button
        variant="subtle"
        size="compact-sm"
        onClick={() => onChange([...rows, newRow(field, {})])}
        data-testid="rows-add"
      >
        {t('forwarding:rows.add')}
      </Button>
    </Input.Wrapper>
  );
}

/** What somebody has entered stays. */
const emptyOnly = (row: Row, proposals: Row): Row =>
  Object.fromEntries(Object.entries(proposals).filter(([name]) => row[name] === '' || row[name] === undefined));

interface RowProps {
  columns: readonly FormField[];
  row: Row;
  errors: Readonly<Record<string, ReactNode>>;
  path: string;
  dataPathOf: (path: string) => string;
  points: readonly PointChoice[];
  codes: readonly Code[];
  onChange: (column: FormField, value: unknown) => void;
  onRemove: () => void;
  number: number;
}

function RowFields(props: RowProps): ReactElement {
  const { columns, row, errors, path, dataPathOf, points, codes, onChange, onRemove, number } = props;
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  const more = columns.filter((column) => column.more === true);
  const hasFault = more.some(({ name }) => errors[`${path}.${name}`] !== undefined);
  const input = (column: FormField): ReactElement => (
    <OptionField
      key={column.name}
      field={column}
      value={row[column.name]}
      error={errors[`${path}.${column.name}`]}
      path={`${path}.${column.name}`}
      dataPathOf={dataPathOf}
      onChange={(value) => onChange(column, value)}
      points={points}
      codes={codes}
    />
  );
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {columns.filter((column) => column.more !== true).map(input)}
      </SimpleGrid>
      {more.length === 0 ? null : (
        <Collapse expanded={isOpen || hasFault}>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" mt="xs">
            {more.map(input)}
          </SimpleGrid>
        </Collapse>
      )}
      <Group justify="space-between" mt={6}>
        {more.length === 0 ? (
          <span />
        ) : (
          <Button variant="subtle" size="compact-sm" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {t('forwarding:rows.more')}
          </Button>
        )}
        <ActionIcon
          variant="subtle"
          color="red"
          onClick={onRemove}
          aria-label={t('forwarding:rows.remove', { row: number })}
          title={t('forwarding:rows.remove', { row: number })}
          data-testid="row-remove"
        >
          <IconTrash size={16} />
        </ActionIcon>
      </Group>
    </>
  );
}
