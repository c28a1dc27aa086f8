import { IconUpload } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useTab } from '@/lib/tab';
import { PermButton } from '@/components/permission';
import type { Asks } from '@/components/permission';
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
  const { search } = useTab();
  /** The import that the address brought along: the page was loaded again in the middle of it. */
  const [resume] = useState(search.import);
  const [isOpen, setIsOpen] = useState(resume !== undefined);
  const [isResumed, setIsResumed] = useState(isOpen);
  const close = (): void => {
    setIsOpen(false);
    setIsResumed(false);
  };
  return (
    <>
      <PermButton
        asks={asks}
        variant="default"
        leftSection={<IconUpload size={16} />}
        onClick={() => setIsOpen(true)}
        data-testid="import-open"
      >
        {t('base:import.open')}
      </PermButton>
      <Suspense fallback={null}>
        {isOpen ? (
          <ImportDialog
            title={title}
            endpoints={endpoints}
            changes={changes}
            resume={isResumed ? resume : undefined}
            onClose={close}
          />
        ) : null}
      </Suspense>
    </>
  );
}
