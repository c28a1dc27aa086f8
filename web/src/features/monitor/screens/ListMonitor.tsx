import { Button, SegmentedControl } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconLayoutGrid, IconList } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { BoardContext } from '@/blocks/live/useBoard';
import { StatusFilter } from '@/blocks/monitor/MonitorFilterFields';
import { monitorFilters } from '@/blocks/monitor/monitorFilters';
import { MonitorSwitch } from '@/blocks/monitor/MonitorSwitch';
import { SearchBox } from '@/components/SearchBox';
import { TableState } from '@/components/table/TableState';
import { usePhone } from '@/components/table/usePhone';
import { useSelection } from '@/components/table/useSelection';
import { choicesOf } from '@/blocks/views/viewStore';
import { useLink } from '@/lib/live';
import { useTab } from '@/lib/tab';
import { POLL_WITHOUT_LINK_MS } from '../api';
import { MonitorTable } from '../components/MonitorTable';
import { MonitorTiles } from '../components/MonitorTiles';
import { MonitorViews } from '../components/MonitorViews';
import { ProductChoice, ProjectChoice } from '../components/MonitorChoice';
import { useMonitorBoard } from '../components/useMonitorBoard';
import { CHOICES, chosenOf, isChosen, monitorPointsQuery } from '../monitorList';
import type { MonitorPoint } from '../monitorList';
import classes from '../monitor.module.css';
import list from '../monitorList.module.css';

const MonitorWrite = lazy(() => import('../components/MonitorWrite'));
const NARROW = '(max-width: 1023px)';

/** Live values of points of many gateways. What is chosen stands in the address; a user keeps choices as views. */
export default function ListMonitor(): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const chosen = chosenOf(search);
  const live = useLink((link) => link.phase === 'live');
  const query = useQuery(monitorPointsQuery(chosen, live, POLL_WITHOUT_LINK_MS));
  const board = useMonitorBoard(query.data);
  const selection = useSelection();
  const isNarrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false });
  const phone = usePhone();
  const [target, setTarget] = useState<MonitorPoint | null>(null);
  const close = useCallback(() => setTarget(null), [setTarget]);
  const isTiles = search.view === 'tiles';
  const data = query.data;
  const clear = (): void => setSearch({ ...choicesOf('', CHOICES), view: search.view });
  const projects = <ProjectChoice isNarrow={isNarrow} />;
  const status = (
    <StatusFilter compact={isNarrow} value={chosen.status ?? ''} onChange={(value) => setSearch({ status: value })} />
  );
  const words = (
    <SearchBox
      label={t('monitor:points.search')}
      value={chosen.search ?? ''}
      onChange={(text) => setSearch({ search: text })}
      testId="monitor-search"
    />
  );
  const products = <ProductChoice products={data?.products ?? []} />;
  const viewAs = (
    <ViewAs
      value={isTiles ? 'tiles' : 'table'}
      onChange={(view) => setSearch({ view: view === 'tiles' ? 'tiles' : undefined })}
      asIcons={phone}
    />
  );
  const views = <MonitorViews asIcon={phone} />;
  const table = { query, filtered: isChosen(chosen), onClear: clear };
  return (
    <BoardContext value={board}>
      <div className={list.listMonitor}>
        {isNarrow ? null : projects}
        <section className={classes.panel}>
          <div className={classes.bar}>
            <h1>{t('monitor:points.title')}</h1>
            <MonitorSwitch at="/monitor/list" filters={monitorFilters(search)} />
            {phone ? (
              <>
                <div className={list.fields}>
                  {projects}
                  {status}
                  {products}
                </div>
                <div className={list.fields}>
                  {words}
                  {viewAs}
                  {views}
                </div>
              </>
            ) : (
              <>
                {isNarrow ? projects : null}
                {status}
                {words}
                {products}
                {viewAs}
                {views}
              </>
            )}
          </div>
          <Chosen
            count={data?.points.length ?? 0}
            total={data?.total ?? null}
            selection={selection}
            isPicked={chosen.dsids !== undefined}
            isFiltered={isChosen(chosen)}
            onClear={clear}
          />
          {isTiles && data !== undefined ? (
            <TableState
              query={query}
              rows={data.points.length}
              filtered={table.filtered}
              onClear={clear}
              empty={{ title: t('monitor:points.nothing') }}
              skeletonRows={8}
            >
              <MonitorTiles data={data} />
            </TableState>
          ) : (
            <MonitorTable {...table} data={data} selection={selection} onWrite={setTarget} />
          )}
        </section>
      </div>
      {target === null ? null : (
        <Suspense fallback={null}>
          <MonitorWrite key={target.dsid} point={target} onClose={close} />
        </Suspense>
      )}
    </BoardContext>
  );
}

const VIEWS = [
  ['table', IconList],
  ['tiles', IconLayoutGrid],
] as const;

/** As a list or as tiles. */
function ViewAs({
  value,
  onChange,
  asIcons,
}: {
  value: string;
  onChange: (value: string) => void;
  asIcons: boolean;
}): ReactElement {
  const { t } = useTranslation();
  const wordsOf = (view: string): string => t(`monitor:points.as.${view}`);
  return (
    <SegmentedControl
      size={asIcons ? 'sm' : 'xs'}
      value={value}
      onChange={onChange}
      data={VIEWS.map(([view, Icon]) => ({
        value: view,
        label: asIcons ? (
          <Icon size={18} stroke={1.6} role="img" aria-label={wordsOf(view)} style={{ display: 'block' }} />
        ) : (
          wordsOf(view)
        ),
      }))}
      className={list.kept}
      aria-label={t('monitor:history.showAs')}
      data-testid="monitor-view-as"
    />
  );
}

interface ChosenProps {
  count: number;
  /** Not known before the first answer. */
  total: number | null;
  selection: ReturnType<typeof useSelection>;
  isPicked: boolean;
  isFiltered: boolean;
  onClear: () => void;
}

/** How many points there are, and the way to keep the selected ones alone. */
function Chosen({ count, total, selection, isPicked, isFiltered, onClear }: ChosenProps): ReactElement {
  const { t } = useTranslation();
  const { setSearch } = useTab();
  const { ids, clear } = selection;
  return (
    <div className={list.chosen} role="status" data-testid="monitor-count">
      <span>
        {total === null
          ? ''
          : count < total
            ? t('monitor:points.first', { count, total })
            : t('monitor:points.count', { count: total })}
      </span>
      {ids.size === 0 ? null : (
        <>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => {
              setSearch({ points: [...ids].join(',') }, 'push');
              clear();
            }}
            data-testid="monitor-pick"
          >
            {t('monitor:points.pick', { count: ids.size })}
          </Button>
          <Button size="compact-sm" variant="subtle" onClick={clear}>
            {t('base:table.deselect')}
          </Button>
        </>
      )}
      {isPicked ? (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => setSearch({ points: undefined }, 'push')}
          data-testid="monitor-unpick"
        >
          {t('monitor:points.unpick')}
        </Button>
      ) : isFiltered ? (
        <Button size="compact-sm" variant="subtle" onClick={onClear}>
          {t('base:table.clear')}
        </Button>
      ) : null}
    </div>
  );
}
