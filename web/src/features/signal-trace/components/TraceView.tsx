import { Alert, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useHindrance } from '@/blocks/devices/useHindrance';
import { errorText } from '@/components/notices';
import { useTab } from '@/lib/tab';
import type { Gateway } from '../api';
import type { TraceLine } from '../buffer';
import { choices, filtered, NO_FILTERS } from '../filters';
import type { TraceFilters } from '../filters';
import classes from '../trace.module.css';
import { useTrace } from '../useTrace';
import { Controls } from './Controls';
import { EntryDetail } from './EntryDetail';
import { Filters } from './Filters';
import { Lines } from './Lines';

/** The trace of one gateway: what came, what of it is wanted, and one entry in detail. */
export function TraceView({ gateway }: { gateway: Gateway }): ReactElement {
  const { t } = useTranslation();
  const hindrance = useHindrance('ota.Strace', gateway);
  const trace = useTrace(gateway.id);
  const { search, setSearch } = useTab();
  const [own, setOwn] = useState<TraceFilters>(NO_FILTERS);
  const source = search.source ?? '';
  const filters = useMemo(() => ({ ...own, source }), [own, source]);
  const setFilters = (next: TraceFilters): void => {
    setOwn(next);
    if (next.source !== source) setSearch({ source: next.source });
  };
  const [isFollowing, setFollowing] = useState(true);
  /** Lines at the moment of the pause; null while everything is drawn. */
  const [paused, setPaused] = useState<readonly TraceLine[] | null>(null);
  const [chosen, setChosen] = useState<number | null>(null);
  const now = trace.buffer.lines;
  const lines = paused ?? now;
  const wanted = useMemo(() => filtered(lines, filters), [lines, filters]);
  const sources = useMemo(() => withChosen(choices(lines, 'source'), source), [lines, source]);
  const devices = useMemo(() => choices(lines, 'device'), [lines]);
  const line = wanted.find(({ key }) => key === chosen);
  const behind = paused === null ? 0 : Math.max((now.at(-1)?.key ?? 0) - (paused.at(-1)?.key ?? 0), 0);
  const { received, missing, forgotten } = trace.buffer.counts;
  return (
    <div className={classes.view} data-testid="strace" data-phase={trace.phase}>
      <Controls
        trace={trace}
        isOnline={gateway.link.online}
        hindrance={hindrance}
        lines={wanted}
        title={gateway.device_title}
        isPaused={paused !== null}
        onPause={() => setPaused(paused === null ? now : null)}
        isFollowing={isFollowing}
        onFollow={setFollowing}
        onClear={() => {
          trace.clear();
          setPaused(null);
          setChosen(null);
        }}
      />
      <Situation phase={trace.phase} why={trace.why} isOnline={gateway.link.online} />
      {trace.error === null ? null : (
        <Alert color="red" role="alert" data-testid="strace-error">
          {errorText(trace.error)}
        </Alert>
      )}
      <Filters filters={filters} onChange={setFilters} sources={sources} devices={devices} />
      <div className={classes.counts} data-testid="strace-counts">
        <Text size="xs">{t('signal-trace:counts.lines', { wanted: wanted.length, received })}</Text>
        {missing > 0 ? (
          <Text size="xs" className={classes.warn} data-testid="strace-missing">
            {t('signal-trace:counts.missing', { count: missing })}
          </Text>
        ) : null}
        {forgotten > 0 ? <Text size="xs">{t('signal-trace:counts.forgotten', { count: forgotten })}</Text> : null}
        {paused === null ? null : (
          <Text size="xs" className={classes.warn} data-testid="strace-behind">
            {t('signal-trace:counts.behind', { count: behind })}
          </Text>
        )}
      </div>
      <Lines
        lines={wanted}
        isFollowing={isFollowing && paused === null}
        onLeaveEnd={() => setFollowing(false)}
        chosen={chosen}
        onChoose={setChosen}
        isFiltered={lines.length > 0}
      />
      {line?.entry ? <EntryDetail entry={line.entry} onClose={() => setChosen(null)} /> : null}
    </div>
  );
}

/** The address may name one of which nothing has come yet. */
const withChosen = (names: readonly string[], chosen: string): readonly string[] =>
  chosen === '' || names.includes(chosen) ? names : [...names, chosen];

const WARNS: ReadonlySet<string> = new Set(['silent', 'offline', 'not_supported', 'ended']);

/** How the trace stands, in a sentence. */
function Situation({ phase, why, isOnline }: { phase: string; why: string; isOnline: boolean }): ReactElement | null {
  const { t } = useTranslation();
  if (phase === 'idle')
    return isOnline ? null : (
      <Alert color="yellow" data-testid="strace-offline">
        {t('signal-trace:refusal.trace.offline')}
      </Alert>
    );
  const words = phase === 'ended' ? t(`signal-trace:end.${why}`) : t(`signal-trace:phase.${phase}`);
  if (!WARNS.has(phase) || why === 'done')
    return (
      <Text size="sm" c="dimmed" role="status" data-testid="strace-state">
        {words}
      </Text>
    );
  return (
    <Alert color="yellow" role="status" data-testid="strace-state">
      {words}
    </Alert>
  );
}
