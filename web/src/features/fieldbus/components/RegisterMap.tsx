import { Select } from '@mantine/core';
import { IconAlertTriangle, IconPencil } from '@tabler/icons-react';
import type { CSSProperties, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { usePhone } from '@/components/table/usePhone';
import { useTab } from '@/lib/tab';
import { AREAS, keyOf, linesOf, PAGE, pagesOf, referenceOf, widthOf } from '../model/registers';
import type { Segment } from '../model/registers';
import type { Row } from '../model/sections';
import classes from '../fieldbus.module.css';

interface Props {
  rows: readonly Row[];
  /** Rows that share an address with another one. */
  overlaps: ReadonlyMap<Row, readonly Row[]>;
  onOpen: (row: Row) => void;
}

const COLUMNS = 16;
const COLUMNS_PHONE = 8;

/** Which address holds which point: a page of one area, lines of so many addresses. What overlaps is marked. */
export function RegisterMap({ rows, overlaps, onOpen }: Props): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const columns = usePhone() ? COLUMNS_PHONE : COLUMNS;
  const used = AREAS.filter((area) => rows.some((row) => row.reg_type === area));
  const area = used.find((each) => each === search.area) ?? used.at(-1) ?? '4X';
  const pages = pagesOf(rows, area);
  const page = pages.find((each) => String(each) === search.address) ?? pages[0] ?? 0;
  const lines = linesOf(rows, area, page, columns);
  const isMarked = (start: number): boolean =>
    [...overlaps.keys()].some(
      (row) => row.reg_type === area && Number(row.offset) < start + PAGE && Number(row.offset) + widthOf(row) > start,
    );
  return (
    <section className={classes.map} aria-label={t('fieldbus:map.title')} data-testid="register-map">
      <div className={classes.mapBar}>
        <Select
          aria-label={t('fieldbus:map.area')}
          data={used.map((value) => ({ value, label: t(`fieldbus:choice.reg_type.${value}`) }))}
          value={area}
          onChange={(next) => setSearch({ area: next ?? undefined, address: undefined })}
          allowDeselect={false}
          data-testid="map-area"
        />
        {pages.length < 2 ? null : (
          <Select
            aria-label={t('fieldbus:map.page')}
            data={pages.map((start) => ({
              value: String(start),
              label: `${start} – ${start + PAGE - 1}${isMarked(start) ? ` · ${t('fieldbus:map.overlap')}` : ''}`,
            }))}
            value={String(page)}
            onChange={(next) => setSearch({ address: next ?? undefined })}
            allowDeselect={false}
            data-testid="map-page"
          />
        )}
        {overlaps.size === 0 ? null : (
          <span className={classes.warning} role="status" data-testid="map-overlaps">
            <IconAlertTriangle size={16} aria-hidden /> {t('fieldbus:map.overlapCount', { count: overlaps.size })}
          </span>
        )}
      </div>
      <ol className={classes.lines} style={{ '--columns': columns } as CSSProperties}>
        {lines.map(({ start, segments }) => (
          <li key={start} className={classes.line}>
            <span className={classes.address}>{start}</span>
            <div className={classes.cells}>
              {segments.map((segment) => (
                <Cell key={segment.start} segment={segment} area={area} onOpen={onOpen} />
              ))}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

interface CellProps {
  segment: Segment;
  area: string;
  onOpen: (row: Row) => void;
}

function Cell({ segment: { start, width, rows }, area, onOpen }: CellProps): ReactElement {
  const { t } = useTranslation();
  const [row] = rows;
  const style = { gridColumn: `span ${width}` };
  if (row === undefined) return <span className={classes.free} style={style} />;
  const isShared = rows.length > 1;
  const names = rows.map(keyOf).join(', ');
  const label = t(isShared ? 'fieldbus:map.cellOverlap' : 'fieldbus:map.cell', {
    first: referenceOf(area, start),
    last: referenceOf(area, start + width - 1),
    names,
  });
  return (
    <button
      type="button"
      className={classes.cell}
      style={style}
      data-overlap={isShared}
      data-goes-on={start > Number(row.offset)}
      aria-label={label}
      title={label}
      onClick={() => onOpen(row)}
      data-testid={`cell-${start}`}
    >
      {isShared ? <IconAlertTriangle size={14} aria-hidden /> : null}
      {!isShared && row.writable === true ? <IconPencil size={12} aria-hidden /> : null}
      <span className={classes.cellName}>{rows.map((each) => String(each.name)).join(' + ')}</span>
    </button>
  );
}
