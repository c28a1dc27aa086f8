import { Notifications } from '@mantine/notifications';
import type { ReactElement } from 'react';
import { AccessPasswordDialog } from '@/blocks/access/AccessPasswordDialog';

/** Loaded beside the first page: what is told or asked before that waits in its store. */
export default function Toasts(): ReactElement {
  return (
    <>
      <Notifications position="bottom-center" limit={3} />
      <AccessPasswordDialog />
    </>
  );
}
