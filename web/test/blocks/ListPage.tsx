import { Select, TextInput } from '@mantine/core';
import { useLayoutEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { ExpiryText } from '@/components/ExpiryText';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import { StatusBadge } from '@/components/StatusBadge';
import type { Column } from '@/components/table/columns';
import { addPerson, bringBack, changePerson, everybody, listPeople, removePeople } from './people';
import type { Draft, Person } from './people';

const TYPES = ['1', '2', '3', '4'].map((value) => ({ value, label: `Type ${value}` }));
const PROTECTED = 'user00002';

/** Counts how often a row is drawn. */
function cityOf(row: Person): string {
  window.cells = (window.cells ?? 0) + 1;
  return row.city;
}

const columns: readonly Column<Person>[] = [
  {
    id: 'name',
    title: 'Name',
    cell: (row) => row.name,
    text: (row) => row.name,
    sort: 'name',
    fixed: true,
    card: 'title',
    width: 160,
  },
  {
    id: 'status',
    title: 'Status',
    cell: (row) => <StatusBadge kind="user" code={row.status} />,
    text: (row) => String(row.status),
    card: 'mark',
    width: 120,
  },
  {
    id: 'type',
    title: 'Type',
    cell: (row) => row.type,
    text: (row) => String(row.type),
    value: (row) => row.type,
    align: 'right',
    card: 'fact',
    width: 90,
  },
  { id: 'phone', title: 'Phone', cell: (row) => row.phone, text: (row) => row.phone, card: 'fact', width: 140 },
  { id: 'email', title: 'Email', cell: (row) => row.email, text: (row) => row.email, hidden: true, width: 220 },
  { id: 'city', title: 'City', cell: cityOf, text: (row) => row.city, sort: 'city', width: 120 },
  {
    id: 'expires',
    title: 'Expires',
    cell: (row) => <ExpiryText ms={row.expires_ms} />,
    text: (row) => String(row.expires_ms),
    value: (row) => row.expires_ms,
    sort: 'expires',
    card: 'fact',
    width: 190,
  },
];

const EMPTY: Draft = { name: '', type: '3', phone: '' };

const people: Resource<Person, Draft> = {
  name: 'people',
  title: 'People',
  queryKey: ['people'],
  load: listPeople,
  rowId: (row) => row.id,
  columns,
  filters: [
    { kind: 'search', name: 'search', label: 'Search people' },
    { kind: 'select', name: 'type', label: 'Type', options: TYPES },
    {
      kind: 'segments',
      name: 'status',
      label: 'Status',
      options: [
        { value: '1', label: 'On' },
        { value: '0', label: 'Off' },
      ],
    },
  ],
  sort: { by: 'name', descending: false },
  form: {
    empty: EMPTY,
    of: (row) => ({ name: row.name, type: String(row.type), phone: row.phone }),
    copy: (row) => ({ name: `${row.name}-2`, type: String(row.type), phone: '' }),
    fields: ({ fields }) => (
      <>
        <TextInput label="Name" required {...fields.getInputProps('name')} data-testid="person-name" />
        <Select label="Type" data={TYPES} allowDeselect={false} {...fields.getInputProps('type')} />
        <TextInput label="Phone" {...fields.getInputProps('phone')} data-testid="person-phone" />
      </>
    ),
    validate: { name: (name) => (/^\w[\w-]*$/.test(name) ? null : 'Letters and digits') },
    create: addPerson,
    update: (row, values) => changePerson(row.id, values),
    mayCreate: 'auth.User',
    mayUpdate: 'auth.User',
    words: { create: 'Add a person', edit: 'Edit the person' },
    names: { user_name: 'name' },
  },
  remove: {
    may: 'auth.User',
    what: (row) => row.name,
    call: (row) => removePeople([row.id]),
    undo: (row) => bringBack(row),
    whyNot: (row) => (row.name === PROTECTED ? 'Has users below' : ''),
  },
  bulk: [
    {
      id: 'remove',
      label: 'Delete all of them',
      may: 'auth.User',
      danger: true,
      question: (count) => `Delete ${count}?`,
      run: (ids) => removePeople(ids.map(Number)),
    },
  ],
};

export function ListPage(): ReactElement {
  return <ResourcePage resource={people} />;
}

const ALL = everybody();

const long: Resource<Person> = {
  name: 'everybody',
  title: 'Everybody',
  queryKey: ['everybody'],
  unpaged: true,
  load: async () => ALL,
  rowId: (row) => row.id,
  columns: [
    ...columns,
    ...['a', 'b', 'c', 'd', 'e'].map((id) => ({
      id,
      title: `Fact ${id}`,
      cell: (row: Person) => `${id}${row.id}`,
      width: 90,
    })),
  ],
  filters: [{ kind: 'search', name: 'search', label: 'Search' }],
  bulk: [],
};

declare global {
  interface Window {
    /** Cells of the column 'city' drawn so far. */
    cells?: number;
    /** When the long list began to be drawn, and when its rows stood in the page; performance.now(). */
    drawn?: { from: number; rows: number };
    /** Of the sheet: its rows, and what the last change held. */
    sheetRows?: readonly { id: number; fields: Readonly<Record<string, string>> }[];
    change?: { changed: number; added: number; removed: number };
  }
}

/** 10,000 rows held whole, and how long it takes from the click that asks for them until they stand in the page. */
export function LongPage(): ReactElement {
  const [shown, setShown] = useState(false);
  useLayoutEffect(() => {
    const seen = new MutationObserver(() => {
      if (document.querySelector('[data-testid="everybody-row"]') === null || window.drawn === undefined) return;
      window.drawn.rows = performance.now();
      seen.disconnect();
    });
    seen.observe(document.body, { childList: true, subtree: true });
    return () => seen.disconnect();
  }, []);
  if (shown) return <ResourcePage resource={long} />;
  const show = (): void => {
    window.drawn = { from: performance.now(), rows: 0 };
    setShown(true);
  };
  return (
    <button type="button" onClick={show} data-testid="show">
      <h1>Everybody</h1>
    </button>
  );
}
