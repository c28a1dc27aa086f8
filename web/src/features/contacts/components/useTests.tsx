import { useCallback, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { testContact, testGroup } from '../api';
import type { ContactChannel, ContactGroupRow, ContactRow, RobotKind } from '../api';
import { reachable } from '../draft';
import { TestButton } from './TestButton';
import { TestDialog } from './TestDialog';

interface Tests<Row> {
  begin: (row: Row) => void;
  rowActions: (row: Row) => ReactNode;
  dialog: ReactElement | null;
}

/** Test messages to contacts of a list. */
export function useContactTests(): Tests<ContactRow> {
  const [tested, setTested] = useState<ContactRow | null>(null);
  const rowActions = useCallback(
    (row: ContactRow) => <TestButton name={row.name} onClick={() => setTested(row)} />,
    [],
  );
  const dialog =
    tested === null ? null : (
      <TestDialog
        name={tested.name}
        channels={reachable(tested)}
        send={(channel) => testContact(tested.id, channel as ContactChannel)}
        onClose={() => setTested(null)}
      />
    );
  return { begin: setTested, rowActions, dialog };
}

/** Test messages to the robots of groups. */
export function useGroupTests(): Tests<ContactGroupRow> {
  const [tested, setTested] = useState<ContactGroupRow | null>(null);
  const rowActions = useCallback(
    (row: ContactGroupRow) =>
      row.robots.length === 0 ? null : <TestButton name={row.title} onClick={() => setTested(row)} />,
    [],
  );
  const dialog =
    tested === null ? null : (
      <TestDialog
        name={tested.title}
        channels={tested.robots.map(({ kind }) => kind)}
        send={(channel) => testGroup(tested.id, channel as RobotKind)}
        onClose={() => setTested(null)}
      />
    );
  return { begin: setTested, rowActions, dialog };
}
