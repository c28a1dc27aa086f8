import { ActionIcon, Button, Popover, Skeleton } from '@mantine/core';
import { IconBookmark } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Views } from './ViewList';

/** Loaded when it is first opened. */
const ViewList = lazy(() => import('./ViewList'));

/** A button with the views of a list that its user keeps. asIcon: where there is no room for its words. testId: begins the ids of its parts. */
export function SavedViews({ asIcon = false, ...views }: Views & { asIcon?: boolean }): ReactElement {
  const { t } = useTranslation();
  return (
    <Popover position="bottom-end" trapFocus withinPortal>
      <Popover.Target>
        {asIcon ? (
          <ActionIcon
            variant="default"
            size="input-sm"
            aria-label={t('base:views.open')}
            data-testid={`${views.testId}s`}
          >
            <IconBookmark size={18} stroke={1.6} />
          </ActionIcon>
        ) : (
          <Button
            variant="default"
            leftSection={<IconBookmark size={16} stroke={1.6} />}
            data-testid={`${views.testId}s`}
          >
            {t('base:views.open')}
          </Button>
        )}
      </Popover.Target>
      <Popover.Dropdown aria-label={t('base:views.open')} p={6}>
        <Suspense fallback={<Skeleton h={80} w={260} />}>
          <ViewList {...views} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
