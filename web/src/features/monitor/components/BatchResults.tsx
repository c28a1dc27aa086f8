import { Text } from '@mantine/core';
import { useEffect } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ToneText } from '@/components/Tone';
import type { CommandRef, CommandStatus, DataSource, Write } from '../api';
import classes from '../monitor.module.css';
import { stateTone } from './commandTone';
import { useFormat } from './LiveTable';
import { useBatch } from './useBatch';
import { useStateWords } from './useStateWords';
import { useWhyWords } from './useWhyWords';

interface Props {
  deviceId: number;
  sent: CommandRef;
  /** In the order in which they were sent. */
  writes: readonly Write[];
  sources: ReadonlyMap<number, DataSource>;
  /** Told the batch once all of it has ended. */
  onOver?: (batchId: string) => void;
}

/** What became of each write of a batch. */
export function BatchResults({ deviceId, sent, writes, sources, onOver }: Props): ReactElement {
  const { t } = useTranslation();
  const { commands, tally } = useBatch(deviceId, sent);
  const { isOver } = tally;
  const batchId = sent.batch_id ?? '';
  useEffect(() => {
    if (isOver) onOver?.(batchId);
  }, [isOver, batchId, onOver]);
  return (
    <section aria-label={t('monitor:command.progress')} data-testid="batch-results" data-over={tally.isOver}>
      <Text fw={600} aria-live="polite" mb={6} data-testid="batch-tally">
        {t(tally.isOver ? 'monitor:batch.over' : 'monitor:batch.underWay', { ...tally })}
      </Text>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{t('monitor:column.point')}</th>
            <th scope="col" className={classes.right}>
              {t('monitor:command.requested')}
            </th>
            <th scope="col" className={classes.right}>
              {t('monitor:command.readBack')}
            </th>
            <th scope="col">{t('monitor:column.result')}</th>
          </tr>
        </thead>
        <tbody>
          {writes.map((write, place) => {
            const source = sources.get(write.dsid);
            const id = (sent.ids ?? [])[place] ?? '';
            return source === undefined ? null : <Row key={id} source={source} write={write} command={commands[id]} />;
          })}
        </tbody>
      </table>
    </section>
  );
}

function Row({
  source,
  write,
  command,
}: {
  source: DataSource;
  write: Write;
  command: CommandStatus | undefined;
}): ReactElement {
  const format = useFormat(source);
  const known = command ?? { status: 'create' };
  const why = useWhyWords()(command ?? { code: '', detail: '' }).join(' · ');
  const words = useStateWords();
  const readBack =
    (command?.result_value ?? null) === null ? '–' : `${format(command?.result_value ?? null)} ${source.unit}`.trim();
  return (
    <tr data-testid="batch-row" data-status={known.status} data-outcome={command?.outcome ?? ''}>
      <th scope="row">
        {source.ds_title}
        <span className={classes.sub}>{source.slave_title}</span>
      </th>
      <td className={`${classes.right} number`}>
        {format(write.value ?? null)} {source.unit}
      </td>
      <td className={`${classes.right} number`}>{readBack}</td>
      <td>
        <ToneText tone={stateTone(known)}>{words(known, readBack)}</ToneText>
        {why === '' ? null : <span className={classes.sub}>{why}</span>}
      </td>
    </tr>
  );
}
