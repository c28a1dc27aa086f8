import { useEffect, useRef, useState } from 'react';
import { newestCommands, readPoints } from '../api';

/** What came of reading a point now. */
export interface Reading {
  state: 'asked' | 'read' | 'failed';
  value?: unknown;
  /** Why it failed: not_deployed, write_only, or the command's state. */
  problem?: string;
}

const POLL_MS = 1000;
/** A command expires after 20 s, and its gateway may answer a little later. */
const LAST_POLLS = 26;
export const MAX_READ = 50;
const WAITING = new Set(['create', 'send']);

/** Read points of a slave through the gateway; readings by identifier. */
export function useReads(
  deviceId: number,
  slave: string,
): [ReadonlyMap<string, Reading>, (names: readonly string[]) => Promise<void>, boolean] {
  const [readings, setReadings] = useState<ReadonlyMap<string, Reading>>(new Map());
  const requested = useRef(new Map<string, string>());
  const [polls, setPolls] = useState(0);
  const start = async (names: readonly string[]): Promise<void> => {
    const rows = await readPoints(deviceId, slave, names.slice(0, MAX_READ));
    requested.current = new Map(rows.filter(({ id }) => id !== '').map(({ id, ds_name }) => [id, ds_name]));
    setReadings(
      (known) =>
        new Map([
          ...known,
          ...rows.map(({ ds_name, problem }): [string, Reading] => [
            ds_name,
            problem === '' ? { state: 'asked' } : { state: 'failed', problem },
          ]),
        ]),
    );
    setPolls(requested.current.size > 0 ? LAST_POLLS : 0);
  };
  useEffect(() => {
    if (polls === 0) return undefined;
    const timer = setTimeout(() => {
      void newestCommands(deviceId)
        .then((commands) => {
          const done: [string, Reading][] = [];
          for (const { id, status, result_value, code } of commands) {
            const name = requested.current.get(id);
            if (name === undefined || WAITING.has(status)) continue;
            requested.current.delete(id);
            done.push([
              name,
              status === 'resp' ? { state: 'read', value: result_value } : { state: 'failed', problem: code || status },
            ]);
          }
          if (done.length > 0) setReadings((known) => new Map([...known, ...done]));
        })
        .finally(() => setPolls((left) => (requested.current.size === 0 ? 0 : left - 1)));
    }, POLL_MS);
    return () => clearTimeout(timer);
  }, [polls, deviceId]);
  return [readings, start, polls > 0];
}
