import { Notifications } from '@mantine/notifications';
import type { ReactElement } from 'react';

/** Loaded beside the first page: what is told before that waits in the store of the notifications. */
export default function Toasts(): ReactElement {
  return <Notifications position="bottom-center" limit={3} />;
}
