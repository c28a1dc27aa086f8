import { createContext, memo, useCallback, useContext, useLayoutEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { bus, heardMs, isCutOff } from '@/lib/live';
import type { Trust } from '@/lib/quality';
import { serverNow } from '@/lib/serverClock';
import { ageOf } from '@/lib/time';
import { onTick } from '@/components/useNow';
import { ageParts } from './age';
import { LiveBoard } from './board';
import type { BoardWords, Part } from './board';
import classes from './live.module.css';

const JUST_NOW_MS = 3_000;

/** The words of a board; an age is put together once. */
function useBoardWords(): BoardWords {
  const { t } = useTranslation();
  return useMemo(() => {
    const known = new Map<string, string>();
    const ago = (ms: number): string => {
      if (ms < JUST_NOW_MS) return t('base:ago.now');
      const { unit, count } = ageOf(ms);
      return t(`base:ago.${unit}`, { count });
    };
    const age: BoardWords['age'] = (last, now, record) => {
      const { key: says, ms } = ageParts(last, now, record);
      const { unit, count } = ms < JUST_NOW_MS ? { unit: 'now', count: 0 } : ageOf(ms);
      const key = `${says}${unit}${count}`;
      let text = known.get(key);
      if (text === undefined) {
        text = says === null ? ago(ms) : t(says, { ago: ago(ms) });
        known.set(key, text);
      }
      return text;
    };
    return { trust: (state: Trust) => t(`base:trust.${state}`), age };
  }, [t]);
}

/** A board of this page. isOnline, reportMs: of a gateway, by its number. */
export function useBoard(isOnline: (deviceId: number) => boolean, reportMs?: (deviceId: number) => number): LiveBoard {
  const words = useBoardWords();
  const [board] = useState(
    () =>
      new LiveBoard(words, {
        watch: (dsid, listener) => bus.watch(dsid, listener),
        now: serverNow,
        isCut: isCutOff,
        heardMs,
        onTick,
        after: (ms, work) => {
          const timer = setTimeout(work, ms);
          return () => clearTimeout(timer);
        },
        textOf: (element) => (element.firstChild as Text | null) ?? element.appendChild(document.createTextNode('')),
      }),
  );
  useLayoutEffect(() => board.setOnline(isOnline, reportMs), [board, isOnline, reportMs]);
  useLayoutEffect(() => board.setWords(words), [board, words]);
  return board;
}

export const BoardContext = createContext<LiveBoard | null>(null);

interface Props {
  dsid: number;
  part: Part;
  testId?: string;
}

/** A place that the board of this page writes into. */
export const LivePart = memo(function LivePart({ dsid, part, testId }: Props): ReactElement {
  const board = useContext(BoardContext);
  const show = useCallback(
    (element: HTMLSpanElement | null) =>
      element === null || board === null ? undefined : board.show(dsid, part, element),
    [board, dsid, part],
  );
  return <span ref={show} className={classes[part]} data-part={part} data-testid={testId} />;
});
