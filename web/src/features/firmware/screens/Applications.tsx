import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Filter } from '@/components/resource/filters';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { ListRequest, Page, Resource } from '@/components/resource/resource';
import { ScreenLink } from '@/components/ScreenLink';
import { FILES, loadFiles, PACKAGE } from '../api';
import type { FileRow } from '../api';
import { planFor } from '../components/FileList';
import { useFileColumns } from '../components/useFileColumns';

/** Packages of the gateway program (upgrade type 1), as against images of a slot. */
export default function Applications(): ReactElement {
  const { t } = useTranslation();
  const all = useFileColumns();
  const columns = useMemo(
    () =>
      all
        .filter(({ id }) => id !== 'type')
        .map((each) => (each.id === 'min_agent' ? { ...each, hidden: false } : each)),
    [all],
  );
  const filters = useMemo<readonly Filter[]>(
    () => [{ kind: 'search', name: 'search', label: t('firmware:file.search') }],
    [t],
  );
  const resource = useMemo<Resource<FileRow>>(
    () => ({
      name: 'firmware-apps',
      title: t('firmware:apps.title'),
      queryKey: [...FILES, 'packages'],
      load: loadPackages,
      rowId: (row) => row.id,
      columns,
      filters,
      rowActions: planFor,
      tools: (
        <ScreenLink path="/ota/firmware" search={{ tab: 'files', type: PACKAGE }}>
          {t('firmware:apps.manage')}
        </ScreenLink>
      ),
      empty: { title: t('firmware:apps.none'), text: t('firmware:apps.noneText') },
    }),
    [t, columns, filters],
  );
  return <ResourcePage resource={resource} />;
}

function loadPackages(request: ListRequest, signal: AbortSignal): Promise<Page<FileRow>> {
  return loadFiles({ ...request, filters: { ...request.filters, type: String(PACKAGE) } }, signal);
}
