import { Button } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PermButton } from '@/components/permission';
import type { Filter } from '@/components/resource/filters';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import { deleteFile, fileChoice, FILES, IMAGE, loadFiles, MAY_UPGRADE, PACKAGE } from '../api';
import type { FileRow } from '../api';
import { NewPlan } from './NewPlan';
import { useFileColumns } from './useFileColumns';

const UploadDialog = lazy(() => import('./UploadDialog'));

/** Verified files of both upgrade types. */
export default function FileList(): ReactElement {
  const { t } = useTranslation();
  const [uploading, setUploading] = useState(false);
  const columns = useFileColumns();
  const filters = useMemo<readonly Filter[]>(
    () => [
      { kind: 'search', name: 'search', label: t('firmware:file.search') },
      {
        kind: 'select',
        name: 'type',
        label: t('firmware:field.upgrade_type'),
        options: [IMAGE, PACKAGE].map((value) => ({ value: String(value), label: t(`firmware:type.${value}`) })),
      },
    ],
    [t],
  );
  const resource = useMemo<Resource<FileRow>>(
    () => ({
      name: 'firmware-files',
      title: t('firmware:file.title'),
      queryKey: FILES,
      load: loadFiles,
      rowId: (row) => row.id,
      columns,
      filters,
      rowActions: planFor,
      remove: {
        may: MAY_UPGRADE,
        what: (row) => `${row.name} ${row.version_text}`,
        call: (row) => deleteFile(row.id),
        impact: (row) =>
          row.gateways > 0 ? t('firmware:impact.fileRuns', { count: row.gateways }) : t('firmware:impact.file'),
        whyNot: (row) => (row.plans > 0 ? t('firmware:why.fileUsed', { count: row.plans }) : ''),
      },
      tools: (
        <PermButton
          asks={MAY_UPGRADE}
          leftSection={<IconUpload size={16} />}
          onClick={() => setUploading(true)}
          data-testid="firmware-upload"
        >
          {t('firmware:file.upload')}
        </PermButton>
      ),
      empty: {
        title: t('firmware:file.none'),
        text: t('firmware:file.noneText'),
        action: (
          <Button variant="default" onClick={() => setUploading(true)}>
            {t('firmware:file.upload')}
          </Button>
        ),
      },
    }),
    [t, columns, filters],
  );
  return (
    <>
      <ResourcePage resource={resource} />
      {uploading ? (
        <Suspense fallback={null}>
          <UploadDialog onClose={() => setUploading(false)} />
        </Suspense>
      ) : null}
    </>
  );
}

/** A plan of a file whose signature counts. */
export function planFor(row: FileRow): ReactElement | null {
  if (!row.trusted) return null;
  const preset = () => ({ firmware_id: fileChoice(row), upgrade_type: String(row.upgrade_type) });
  return <NewPlan what={`${row.name} ${row.version_text}`} preset={preset} />;
}
