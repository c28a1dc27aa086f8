import { IconUpload } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PermButton } from '../permission';
import type { Asks } from '../permission';
import type { ImportEndpoints } from './endpoints';

const ImportDialog = lazy(() => import('./ImportDialog'));

interface Props {
  asks: Asks;
  title: string;
  endpoints: ImportEndpoints;
  /** Lists that show something else once it is done. */
  changes: readonly (readonly unknown[])[];
}

/** Opens an import; the dialog is loaded when it is wanted. */
export function ImportButton({ asks, title, endpoints, changes }: Props): ReactElement {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <PermButton asks={asks} variant="default" leftSection={<IconUpload size={16} />} onClick={() => setIsOpen(true)} data-testid="import-open">
        {t('base:import.open')}
      </PermButton>
      <Suspense fallback={null}>{isOpen ? <ImportDialog title={title} endpoints={endpoints} changes={changes} onClose={() => setIsOpen(false)} /> : null}</Suspense>
    </>
  );
}
