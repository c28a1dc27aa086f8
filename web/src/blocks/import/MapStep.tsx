import { Button, Group, Radio, ScrollArea, Select, Stack, Table, Text } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/components/notices';
import { refusalText } from '@/components/refusal';
import type { ImportSheet, ImportState, Mode, SheetMapping } from './endpoints';
import type { SheetKind } from './mapping';
import classes from './import.module.css';
import { missingKeys, SHEET_KINDS, withField, withKind } from './mapping';

interface Props {
  state: ImportState;
  mappings: readonly SheetMapping[];
  onMappings: (mappings: readonly SheetMapping[]) => void;
  mode: Mode;
  onMode: (mode: Mode) => void;
  /** What becomes of gateways that the file does not name; null where none may go. */
  removal: ReactNode;
  failure: unknown;
  isBusy: boolean;
  onBack: () => void;
  onNext: () => void;
}

/** What each sheet and each column is, and what happens to what the file does not say. */
export function MapStep({
  state,
  mappings,
  onMappings,
  mode,
  onMode,
  removal,
  failure,
  isBusy,
  onBack,
  onNext,
}: Props): ReactElement {
  const { t } = useTranslation();
  const keysOf = (kind: SheetKind): string[] =>
    (state.columns[kind] ?? []).filter((column) => column.is_key).map((column) => column.field);
  const isComplete =
    mappings.some(({ kind }) => kind !== null) &&
    mappings.every((each) => each.kind === null || missingKeys(each, keysOf(each.kind)).length === 0);
  const change = (at: number, mapping: SheetMapping): void =>
    onMappings(mappings.map((each, place) => (place === at ? mapping : each)));
  return (
    <Stack gap="md">
      {state.gateway_id === null || state.gateway_id === undefined ? null : (
        <Text size="sm">{t('base:import.singleHint', { gateway: state.gateway_id })}</Text>
      )}
      <ScrollArea.Autosize mah="46dvh" type="auto" viewportProps={{ tabIndex: 0 }}>
        <Stack gap="md">
          {state.sheets.map((sheet, at) => {
            const mapping = mappings[at];
            return mapping === undefined ? null : (
              <SheetChoice
                key={sheet.name}
                sheet={sheet}
                state={state}
                mapping={mapping}
                onKind={(kind) => onMappings(withKind(mappings, at, kind))}
                onChange={(next) => change(at, next)}
              />
            );
          })}
        </Stack>
      </ScrollArea.Autosize>
      <Radio.Group
        value={mode}
        onChange={(value) => onMode(value === 'replace' ? 'replace' : 'merge')}
        label={t('base:import.mode.label')}
      >
        <Stack gap="xs" mt="xs">
          <Radio
            value="merge"
            label={t('base:import.mode.merge')}
            description={t('base:import.mode.mergeText')}
            data-testid="import-merge"
          />
          <Radio
            value="replace"
            label={t('base:import.mode.replace')}
            description={t('base:import.mode.replaceText')}
            data-testid="import-replace"
          />
        </Stack>
      </Radio.Group>
      {removal}
      <div role="alert">
        {failure === null ? null : (
          <Text size="sm" c="red">
            {refusalText(failure) ?? errorText(failure)}
          </Text>
        )}
      </div>
      <Group justify="space-between">
        <Button variant="default" onClick={onBack} disabled={isBusy}>
          {t('base:import.back')}
        </Button>
        <Button onClick={onNext} loading={isBusy} disabled={!isComplete} data-testid="import-preview">
          {t('base:import.toPreview')}
        </Button>
      </Group>
    </Stack>
  );
}

interface ChoiceProps {
  sheet: ImportSheet;
  state: ImportState;
  mapping: SheetMapping;
  onKind: (kind: SheetKind | null) => void;
  onChange: (mapping: SheetMapping) => void;
}

function SheetChoice({ sheet, state, mapping, onKind, onChange }: ChoiceProps): ReactElement {
  const { t, i18n } = useTranslation();
  const columns = mapping.kind === null ? [] : (state.columns[mapping.kind] ?? []);
  const named = new Map(columns.map((column) => [column.field, i18n.language === 'en' ? column.en : column.zh]));
  const options = columns.map(({ field }) => ({ value: field, label: named.get(field) ?? field }));
  const missing = missingKeys(
    mapping,
    columns.filter((column) => column.is_key).map((column) => column.field),
  );
  return (
    <section aria-label={sheet.name} data-testid="import-sheet">
      <Group gap="sm" mb={6}>
        <Text fw={600} size="sm">
          {sheet.name}
        </Text>
        <Text size="sm" c="dimmed">
          {t('base:import.rows', { count: sheet.rows })}
        </Text>
        <Select
          size="xs"
          aria-label={t('base:import.kindOf', { name: sheet.name })}
          data={[
            { value: '', label: t('base:import.leaveSheet') },
            ...SHEET_KINDS.map((kind) => ({ value: kind, label: t(`base:import.sheet.${kind}`) })),
          ]}
          value={mapping.kind ?? ''}
          onChange={(value) => onKind(SHEET_KINDS.find((kind) => kind === value) ?? null)}
          allowDeselect={false}
          w={150}
        />
        {missing.length === 0 ? null : (
          <Text size="sm" c="red" role="status">
            {t('base:import.missing', {
              names: missing.map((field) => named.get(field) ?? field).join(t('base:import.join')),
            })}
          </Text>
        )}
      </Group>
      {mapping.kind === null ? null : (
        <Table withTableBorder fz="sm" className={classes.map}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('base:import.column')}</Table.Th>
              <Table.Th>{t('base:import.sample')}</Table.Th>
              <Table.Th>{t('base:import.field')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sheet.header.map((head, at) => {
              const field = mapping.fields[at] ?? null;
              const choices =
                field === null || named.has(field) ? options : [...options, { value: field, label: field }];
              return (
                // oxlint-disable-next-line react/no-array-index-key -- columns have no other name, and none moves
                <Table.Tr key={at} data-unused={field === null || undefined}>
                  <Table.Td>{head}</Table.Td>
                  <Table.Td className={classes.sample}>
                    {sheet.sample
                      .map((row) => row[at] ?? '')
                      .filter((text) => text !== '')
                      .join(t('base:import.join'))}
                  </Table.Td>
                  <Table.Td>
                    <Select
                      size="xs"
                      aria-label={t('base:import.fieldOf', { name: head })}
                      placeholder={t('base:import.leaveColumn')}
                      data={choices}
                      value={field}
                      onChange={(value) => onChange(withField(mapping, at, value))}
                      searchable
                      clearable
                      clearButtonProps={{ 'aria-label': t('base:import.leaveColumn') }}
                    />
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      )}
    </section>
  );
}
