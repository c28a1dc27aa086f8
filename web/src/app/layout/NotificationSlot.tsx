import { lazy, Suspense } from 'react';
import type { ReactElement } from 'react';

const Notifications = lazy(() => import('@/features/events/Notifications'));

/** Place of the event notifications in both layouts; the feature that owns them is named here. */
export function NotificationSlot(): ReactElement {
  return (
    <Suspense fallback={null}>
      <Notifications />
    </Suspense>
  );
}
