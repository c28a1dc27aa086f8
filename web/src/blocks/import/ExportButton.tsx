import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '@/api/errors';
import * as sdk from '@/api/generated/sdk.gen';
import type { ExportBody } from '@/api/generated/types.gen';
import { call } from '@/api/http';
import { datedName, saveBlob } from '@/components/clipboard';
import { usePerm } from '@/components/permission';
import { blobOf } from './endpoints';

/** Loaded with the first export that is a job. */
const ExportJob = lazy(() => import('./ExportJob'));

export type Exported = Omit<ExportBody, 'language'>;

type Query = NonNullable<Parameters<typeof sdk.exportDevices>[0]>['query'];

/** Of a file that a browser waits for. */
const MAX_DIRECT = 100;

/** What the button asks for: a few gateways at once, more of them as a job. Returns the job's number, or null. */
async function exportDevices(
  wanted: Exported,
  count: number | undefined,
  language: 'zh' | 'en',
  what: string,
): Promise<number | null> {
  const { ids, ...query } = wanted;
  if ((ids === undefined || ids === null) && (count ?? 0) <= MAX_DIRECT) {
    try {
      const request = {
        ...(Object.fromEntries(Object.entries(query).filter(([, value]) => value !== null)) as Query),
        language,
      };
      saveBlob(datedName(what, 'xlsx'), await blobOf(sdk.exportDevices({ query: request, parseAs: 'blob' })));
      return null;
    } catch (error) {
      if (!(error instanceof ApiError) || error.facts.reason !== 'export.too_many') throw error;
    }
  }
  return (await call(sdk.beginDeviceExport({ body: { ...wanted, language } }))).id;
}

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
    mutationFn: () =>
      exportDevices(wanted(), count(), i18n.language === 'en' ? 'en' : 'zh', t('base:import.fileOf.devices')),
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
