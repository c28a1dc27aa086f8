import { ActionIcon, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy, IconDownload } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { saveText } from '@/components/clipboard';
import { useCopied } from '@/components/useCopied';
import { useSwitchWords } from '../live/useWords';
import { showError } from '@/components/notices';
import { csvOf, tableRows } from './series';
import type { Series } from './api';
import type { DeviceSource } from './useSources';

/** Tells spreadsheets that the text is UTF-8. */
const MARK = '\uFEFF';

interface Props {
  /** What the table shows; a chart has not asked for it. */
  load: () => Promise<readonly Series[]>;
  chosen: readonly DeviceSource[];
  isEmpty: boolean;
  /** Of the file. */
  name: string;
}

/** What is seen as comma separated values. */
export function HistoryFile({ load, chosen, isEmpty, name }: Props): ReactElement {
  const { t } = useTranslation();
  const { state, copy } = useCopied();
  const copied = state === 'done';
  const words = useSwitchWords();
  const make = async (): Promise<string> => {
    const series = await load();
    const head = {
      time: t('base:history.time'),
      mean: t('base:history.mean'),
      min: t('base:history.min'),
      max: t('base:history.max'),
    };
    return csvOf(
      tableRows(chosen, series, words),
      chosen,
      series.some((one) => one.width_ms > 0),
      head,
    );
  };
  const copyAll = async (): Promise<void> => {
    if (!(await copy(await make()))) showError(new Error(t('base:copy.failed')));
  };
  const save = async (): Promise<void> => saveText(`${name}.csv`, 'text/csv;charset=utf-8', `${MARK}${await make()}`);
  return (
    <>
      <Tooltip label={t(copied ? 'base:copy.done' : 'base:history.copyCsv')}>
        <ActionIcon
          variant="default"
          size={32}
          disabled={isEmpty}
          onClick={() => void copyAll().catch(showError)}
          aria-label={t('base:history.copyCsv')}
          data-testid="copy-csv"
        >
          {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t('base:history.saveCsv')}>
        <ActionIcon
          variant="default"
          size={32}
          disabled={isEmpty}
          onClick={() => void save().catch(showError)}
          aria-label={t('base:history.saveCsv')}
          data-testid="save-csv"
        >
          <IconDownload size={16} />
        </ActionIcon>
      </Tooltip>
    </>
  );
}
