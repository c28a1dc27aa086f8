import { ActionIcon, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy, IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText, saveText } from '../clipboard';
import { showError } from '../notices';
import { csvOf } from './series';
import type { TableRow } from './series';
import type { DeviceSource } from './useSources';

/** 'copied' is shown this long. */
const COPIED_MS = 1500;
/** Tells spreadsheets that the text is UTF-8. */
const MARK = '\uFEFF';

interface Props {
  rows: readonly TableRow[];
  chosen: readonly DeviceSource[];
  bucketed: boolean;
  /** Of the file. */
  name: string;
}

/** What is seen as comma separated values. */
export function HistoryFile({ rows, chosen, bucketed, name }: Props): ReactElement {
  const { t } = useTranslation();
  const [copied, setCopied] = useState(false);
  const make = (): string =>
    csvOf(rows, chosen, bucketed, { time: t('base:history.time'), mean: t('base:history.mean'), min: t('base:history.min'), max: t('base:history.max') });
  const copy = async (): Promise<void> => {
    if (!(await copyText(make()))) {
      showError(new Error(t('base:copy.failed')));
      return;
    }
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  const save = (): void => saveText(`${name}.csv`, 'text/csv;charset=utf-8', `${MARK}${make()}`);
  return (
    <>
      <Tooltip label={t(copied ? 'base:copy.done' : 'base:history.copyCsv')}>
        <ActionIcon variant="default" size={32} disabled={rows.length === 0} onClick={() => void copy()} aria-label={t('base:history.copyCsv')} data-testid="copy-csv">
          {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t('base:history.saveCsv')}>
        <ActionIcon variant="default" size={32} disabled={rows.length === 0} onClick={save} aria-label={t('base:history.saveCsv')} data-testid="save-csv">
          <IconDownload size={16} />
        </ActionIcon>
      </Tooltip>
    </>
  );
}
