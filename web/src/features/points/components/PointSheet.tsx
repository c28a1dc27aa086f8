import { Alert, Button, Group, SegmentedControl } from '@mantine/core';
import { IconDeviceFloppy, IconForms, IconRefreshDot } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSwitchWords } from '@/blocks/live/useWords';
import { showError } from '@/components/notices';
import { PageSkeleton } from '@/components/PageSkeleton';
import { makeWithNotes } from '@/components/sheet/model/notes';
import { SheetGrid } from '@/components/sheet/SheetGrid';
import type { Column } from '@/components/sheet/types';
import { Trouble } from '@/components/Trouble';
import { useUnsavedChanges } from '@/components/form/useUnsavedChanges';
import { useMay } from '@/lib/session';
import { useTab } from '@/lib/tab';
import type { ProtocolForm } from '../api';
import { allColumns, columnsOf, GROUPS } from '@/blocks/points/columns';
import type { Group as ColumnGroup } from '@/blocks/points/columns';
import { editOf } from '../model/edits';
import { readingText } from '../model/reading';
import { makeFaultWords } from '@/blocks/points/faultWords';
import { makeNewRow } from '@/blocks/points/newRow';
import type { Fields, Point } from '@/blocks/points/point';
import { makeValidator } from '@/blocks/points/rules';
import classes from '../points.module.css';
import { TemplateBar } from './TemplateBar';
import { usePointEdit } from './usePointEdit';
import { MAX_READ, useReads } from './useReads';
import type { Reading } from './useReads';
import { useSaving } from './useSaving';
import { useTemplate } from './useTemplate';

const PointForm = lazy(() => import('./PointForm'));

interface Props {
  deviceId: number;
  slave: string;
  form: ProtocolForm | undefined;
  options: Fields;
  /** Why nothing can be changed; '' when it can. */
  hindrance: string;
}

const MAX_ROWS = 20_000;
const NO_ROWS: readonly Point[] = [];

/** Points of a slave in a sheet: columns in four groups, faults while one types, values read now. */
export function PointSheet({ deviceId, slave, form, options, hindrance }: Props): ReactElement {
  const { t, i18n } = useTranslation();
  const { search, setSearch } = useTab();
  const points = usePointEdit(deviceId, slave);
  const [readings, read, isReading] = useReads(deviceId, slave);
  const mayRead = useMay('Device/cmd');
  const switchWords = useSwitchWords();
  const [selected, setSelected] = useState<readonly Point[]>([]);
  const [opened, setOpened] = useState<Point | null>(null);
  const group: ColumnGroup = GROUPS.find((each) => each === search.group) ?? 'basic';
  const about = useMemo(() => ({ form, options, language: i18n.language }), [form, options, i18n.language]);
  const live = useMemo(
    (): Column<Point> => liveColumn(t('points:read.column'), readings, switchWords, t),
    [readings, switchWords, t],
  );
  // Before the identifier, so that a block pasted from there on stands under its own heads.
  const hasReadings = readings.size > 0;
  const columns = useMemo(() => {
    const made = columnsOf(group, t, about);
    return hasReadings ? [live, ...made] : made;
  }, [group, t, about, live, hasReadings]);
  const validate = useMemo(() => makeValidator({ form, options }), [form, options]);
  const rows = points.edit?.rows;
  const { refused } = points;
  const cells = useMemo(() => validate(rows ?? NO_ROWS), [validate, rows]);
  const inWords = useMemo(() => makeFaultWords(t), [t]);
  const template = useTemplate(deviceId, slave);
  const { marks } = template;
  const withNotes = useMemo(() => makeWithNotes(), []);
  const faults = useMemo(() => {
    const notes = new Map(
      (marks.size === 0 ? NO_ROWS : (rows ?? NO_ROWS)).flatMap(({ key, was }) => {
        const fields = was === null ? undefined : marks.get(was);
        return fields === undefined ? [] : [[key, fields] as const];
      }),
    );
    const rowFaults = withNotes(inWords(rows ?? NO_ROWS, cells), notes);
    if (refused === null) return rowFaults;
    const text = t('base:point.fault.refused', { rule: refused.rule });
    const { key } = refused.point;
    return new Map(rowFaults).set(key, new Map(rowFaults.get(key)).set(refused.field, { level: 'error', text }));
  }, [inWords, withNotes, rows, cells, marks, refused, t]);
  const groups = useMemo(
    () => new Map(allColumns(t, about).flatMap((each) => each.columns.map(({ key }) => [key, each.group] as const))),
    [t, about],
  );
  const { save, stopped, seek } = useSaving(points, cells, (field) => groups.get(field));
  const own = useMemo(() => new Set(template.link?.own), [template.link]);
  const rowHeader = useCallback(
    ({ was }: Point, index: number): ReactNode =>
      was !== null && own.has(was) ? <span title={t('points:template.ownPoint')}>{index + 1}*</span> : index + 1,
    [own, t],
  );
  useUnsavedChanges(points.unsaved > 0, { persisted: true });
  const newRow = useMemo(() => makeNewRow(() => editOf(deviceId, slave)?.rows ?? NO_ROWS), [deviceId, slave]);

  if (points.edit === undefined) {
    return points.error === null ? <PageSkeleton /> : <Trouble error={points.error} onRetry={points.retry} />;
  }
  // What is typed while it is saved would be lost with the answer.
  const mayChange = hindrance === '' && !points.isSaving;
  const readNow = (): void => {
    const wanted = selected.length > 0 ? selected : (rows ?? []);
    read(wanted.slice(0, MAX_READ).flatMap(({ was }) => was ?? [])).catch(showError);
  };
  const tools = (
    <>
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<IconForms size={14} aria-hidden />}
        disabled={selected[0] === undefined}
        onClick={() => setOpened(selected[0] ?? null)}
        data-testid="point-form-open"
      >
        {t('points:row.open')}
      </Button>
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<IconRefreshDot size={14} aria-hidden />}
        disabled={!mayRead || rows?.length === 0}
        title={mayRead ? t('points:read.hint', { most: MAX_READ }) : t('base:perm.missing')}
        loading={isReading}
        onClick={readNow}
        data-testid="points-read"
      >
        {t('points:read.now')}
      </Button>
    </>
  );
  return (
    <div className={classes.sheetSide}>
      <Group className={classes.tabs} gap="xs">
        <SegmentedControl
          size="xs"
          value={group}
          onChange={(next) => setSearch({ group: next === 'basic' ? undefined : next })}
          data={GROUPS.map((value) => ({ value, label: t(`points:group.${value}`) }))}
          aria-label={t('points:group.label')}
          data-testid="point-groups"
        />
        <span className={classes.grow} />
        <span className={classes.unsaved} role="status" data-testid="points-unsaved" data-count={points.unsaved}>
          {points.unsaved === 0 ? '' : t('points:unsaved', { count: points.unsaved })}
        </span>
        {stopped === 0 ? null : (
          <span className={classes.stopped} role="alert" data-testid="points-stopped">
            {t('points:stopped', { count: stopped })}
          </span>
        )}
        <Group gap="xs" wrap="nowrap" ml="auto">
          <Button
            variant="default"
            size="compact-sm"
            disabled={points.unsaved === 0 || points.isSaving}
            onClick={points.discard}
            data-testid="points-discard"
          >
            {t('points:discard')}
          </Button>
          <Button
            size="compact-sm"
            leftSection={<IconDeviceFloppy size={14} aria-hidden />}
            disabled={points.unsaved === 0 || hindrance !== ''}
            title={hindrance || undefined}
            loading={points.isSaving}
            onClick={save}
            data-testid="points-save"
          >
            {t('points:save')}
          </Button>
        </Group>
      </Group>
      {points.moved === null ? null : (
        <Alert color="yellow" className={classes.notice} title={t('points:moved.title')} data-testid="points-moved">
          <p>
            {points.moved.author === ''
              ? t('points:moved.gateway')
              : t('points:moved.text', { author: points.moved.author })}
          </p>
          <Group gap="xs" mt="xs">
            <Button size="compact-sm" onClick={() => points.takeNewest(true)} data-testid="points-merge">
              {t('points:moved.merge')}
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => points.takeNewest(false)}
              data-testid="points-theirs"
            >
              {t('points:moved.theirs')}
            </Button>
          </Group>
        </Alert>
      )}
      <TemplateBar template={template} selected={selected.flatMap(({ was }) => was ?? [])} hindrance={hindrance} />
      {points.error === null ? null : <Trouble error={points.error} onRetry={points.retry} />}
      {group === 'alarm' ? <p className={classes.hint}>{t('points:alarmHint')}</p> : null}
      <SheetGrid
        key={`${slave}/${points.edit.round}`}
        name="points"
        label={t('points:sheet', { slave })}
        rows={points.edit.rows}
        rowKey={keyOfPoint}
        columns={columns}
        frozen={hasReadings ? 2 : 1}
        faults={faults}
        rowHeader={rowHeader}
        onChange={mayChange ? points.change : undefined}
        newRow={mayChange ? newRow : undefined}
        mayDelete={mayChange ? always : undefined}
        maxRows={MAX_ROWS}
        height="max(420px, calc(100dvh - 300px))"
        tools={tools}
        onSelect={setSelected}
        seek={seek}
        empty={t('points:empty')}
      />
      {opened === null ? null : (
        <Suspense fallback={null}>
          <PointForm
            deviceId={deviceId}
            slave={slave}
            hindrance={hindrance}
            point={points.edit.rows.find(({ key }) => key === opened.key) ?? opened}
            about={about}
            cells={cells[points.edit.rows.findIndex(({ key }) => key === opened.key)] ?? []}
            mayChange={mayChange}
            notes={marks.get(opened.was ?? '')}
            onChange={(next) => points.change((rows ?? NO_ROWS).map((each) => (each.key === next.key ? next : each)))}
            onClose={() => setOpened(null)}
          />
        </Suspense>
      )}
    </div>
  );
}

const keyOfPoint = ({ key }: Point): number => key;
const always = (): boolean => true;

function liveColumn(
  title: string,
  readings: ReadonlyMap<string, Reading>,
  words: { on: string; off: string },
  t: TFunction,
): Column<Point> {
  const say = ({ was, fields }: Point): string => {
    const reading = readings.get(was ?? '');
    if (reading === undefined) return '';
    if (reading.state === 'asked') return t('points:read.asked');
    if (reading.state === 'read') return readingText(reading.value, fields, words);
    return t(`points:read.problem.${reading.problem ?? ''}`, { defaultValue: t('points:read.failed') });
  };
  return {
    key: 'read_now',
    title,
    kind: 'live',
    width: 150,
    read: say,
    cell: (point) => (
      <span data-testid="point-reading" data-state={readings.get(point.was ?? '')?.state ?? 'none'}>
        {say(point)}
      </span>
    ),
  };
}
