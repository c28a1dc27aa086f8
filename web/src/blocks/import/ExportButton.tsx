import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { usePerm } from '@/components/permission';
import type { Exported } from './exportDevices';

/** Loaded with the first export that is a job. */
const ExportJob = lazy(() => import('./ExportJob'));

interface Props {
  wanted: () => Exported;
  /** How many they are; undefined while nobody knows. */
  count: () => number | undefined;
}

/** Gateways of a list with their ports, slaves and points as a workbook that an import takes back. wanted: as of the click. */
export function ExportButton({ wanted, count }: Props): ReactElement | null {
  const { t, i18n } = useTranslation();
  const may = usePerm('DeviceManage');
  const [jobId, setJobId] = useState<number | null>(null);
  const [ended, setEnded] = useState<number | null>(null);
  const begin = useMutation({
    mutationFn: async () => {
      const asked = [wanted(), count()] as const;
      const { exportDevices } = await import('./exportDevices');
      return exportDevices(...asked, i18n.language === 'en' ? 'en' : 'zh', t('base:import.fileOf.devices'));
    },
    onSuccess: setJobId,
  });
  if (!may) return null;
  const isRunning = jobId !== null && jobId !== ended;
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconDownload size={16} />}
        loading={begin.isPending || isRunning}
        onClick={() => begin.mutate()}
        data-testid="export-devices"
      >
        {t('base:import.export')}
      </Button>
      <Suspense fallback={null}>
        {jobId === null ? null : (
          <ExportJob key={jobId} id={jobId} onEnd={() => setEnded(jobId)} onDownloaded={() => setJobId(null)} />
        )}
      </Suspense>
    </>
  );
}
