import { ActionIcon, Tooltip } from '@mantine/core';
import { IconFileExport } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Span } from '@/lib/time';

const ExportDialog = lazy(() => import('./ExportDialog'));

interface Props {
  dsids: readonly number[];
  span: Span;
}

/** A file of the whole period, with every sample or with means; a job makes it. */
export function HistoryExport({ dsids, span }: Props): ReactElement {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Tooltip label={t('base:history.export')}>
        <ActionIcon
          variant="default"
          size={32}
          disabled={dsids.length === 0}
          onClick={() => setOpen(true)}
          aria-label={t('base:history.export')}
          data-testid="history-export"
        >
          <IconFileExport size={16} />
        </ActionIcon>
      </Tooltip>
      {isOpen ? (
        <Suspense>
          <ExportDialog dsids={dsids} span={span} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
