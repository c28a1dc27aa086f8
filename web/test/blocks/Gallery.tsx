import { Stack } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { AlarmLevelTag } from '@/blocks/alarms/AlarmLevelTag';
import { CopyText } from '@/components/CopyText';
import { DateRangePicker } from '@/components/DateRangePicker';
import { ExpiryText } from '@/components/ExpiryText';
import { IntervalInput } from '@/components/form/IntervalInput';
import { PresetTimeSelect } from '@/components/form/PresetTimeSelect';
import { MaskedSecret } from '@/components/MaskedSecret';
import { PermButton, PermissionGate } from '@/components/permission';
import { StatusBadge } from '@/components/StatusBadge';
import { DataTable, DIALOG_TABLE_PX } from '@/components/table/DataTable';
import type { Column, TableQuery } from '@/components/table/columns';
import { TreePanel } from '@/components/TreePanel';
import { UploadField } from '@/components/UploadField';
import { AsyncPicker } from '@/components/AsyncPicker';
import type { Choice } from '@/components/AsyncPicker';
import { useConfirm } from '@/components/useConfirm';
import { useRange } from '@/components/useRange';
import { ALARM_TYPES } from '@/lib/alarmTypes';
import { STATUS_CODES } from '@/lib/statusCodes';
import type { StatusKind } from '@/lib/statusCodes';
import type { TreeNode } from '@/lib/tree';
import { everybody, person } from './people';
import type { Person } from './people';

const LEVELS = [
  { id: 201, title: 'Severe', color: '#e03131' },
  { id: 202, title: 'Yellow', color: '#ffd43b' },
  { id: 203, title: 'Grey', color: '#777' },
  { id: 204, title: 'Green', color: 'rgb(46, 160, 67)' },
];

/** Every small block once. */
export function Gallery(): ReactElement {
  return (
    <Stack p="md" gap="lg" style={{ background: 'var(--surface-panel)' }}>
      <h1>Blocks</h1>
      <Marks />
      <Texts />
      <Permissions />
      <Choices />
      <Intervals />
      <Trees />
      <Uploads />
      <SmallTable />
    </Stack>
  );
}

function Marks(): ReactElement {
  return (
    <section aria-label="Marks">
      <h2>Marks</h2>
      <div style={{ display: 'flex', flexWrap: 'wrap', gap: 10 }} data-testid="marks">
        {Object.entries(STATUS_CODES).flatMap(([kind, codes]) =>
          Object.keys(codes).map((code) => (
            <StatusBadge key={`${kind}${code}`} kind={kind as StatusKind} code={code} />
          )),
        )}
        {[...Object.keys(ALARM_TYPES).map(Number), ...LEVELS.map((level) => level.id), 999].map((type) => (
          <AlarmLevelTag key={type} type={type} levels={LEVELS} />
        ))}
      </div>
    </section>
  );
}

function Texts(): ReactElement {
  const range = useRange('today');
  const [now] = useState(() => Date.now());
  return (
    <section aria-label="Texts">
      <h2>Texts</h2>
      <p>
        <CopyText text="edge/v1/cloud/push" testId="to-copy" />
      </p>
      <p>
        <MaskedSecret secret="kT7-example-secret" name="Key" />
      </p>
      <p data-testid="expiries">
        <ExpiryText ms={now - 86_400_000} /> <ExpiryText ms={now + 10 * 86_400_000} /> <ExpiryText ms={null} />
      </p>
      <DateRangePicker range={range} />
    </section>
  );
}

function Permissions(): ReactElement {
  const [ask, dialog] = useConfirm();
  const [answer, setAnswer] = useState('');
  const question = {
    title: 'Delete the platform',
    text: 'Nothing of it stays.',
    confirm: 'Delete',
    danger: true,
    typed: 'platform',
  };
  return (
    <section aria-label="Permissions">
      <h2>Permissions</h2>
      <PermButton
        asks="auth.User"
        onClick={() => void ask(question).then((yes) => setAnswer(yes ? 'yes' : 'no'))}
        data-testid="may"
      >
        May
      </PermButton>{' '}
      <PermButton asks="auth.Rule" data-testid="may-not">
        May not
      </PermButton>
      <PermButton asks="auth.Rule" mode="hide" data-testid="hidden">
        Hidden
      </PermButton>
      <PermissionGate
        asks={{ permission: null, userTypes: [0] }}
        fallback={<span data-testid="fallback">not for you</span>}
      >
        <span data-testid="secret-part">platform only</span>
      </PermissionGate>
      <output data-testid="answer">{answer}</output>
      {dialog}
    </section>
  );
}

let searches: string[] = [];

function Choices(): ReactElement {
  const [chosen, setChosen] = useState<Choice | null>(null);
  const [asked, setAsked] = useState<readonly string[]>([]);
  const load = async (search: string): Promise<readonly Choice[]> => {
    searches = [...searches, search];
    setAsked(searches);
    return Array.from({ length: 30 }, (_, at) => person(at + 1))
      .filter((each) => each.name.includes(search))
      .slice(0, 10)
      .map((each) => ({ value: String(each.id), label: each.name, note: each.city }));
  };
  return (
    <section aria-label="Choices">
      <h2>Choices</h2>
      <AsyncPicker
        label="User"
        value={chosen}
        onChange={setChosen}
        load={load}
        queryKey={['pick']}
        clearable
        testId="picker"
      />
      <output data-testid="chosen">{chosen?.value}</output>
      <output data-testid="searches">{asked.join('|')}</output>
    </section>
  );
}

const PERMISSIONS: readonly TreeNode[] = [
  {
    id: 'Monitor',
    label: 'Monitor',
    children: [
      { id: 'Monitor.List', label: 'List', note: 'menu' },
      { id: 'Monitor.Map', label: 'Map' },
    ],
  },
  { id: 'Event', label: 'Alarms', children: [{ id: 'Trigger', label: 'Triggers' }] },
];

function Intervals(): ReactElement {
  const [seconds, setSeconds] = useState<number | ''>(1800);
  return (
    <section aria-label="Intervals">
      <h2>Intervals</h2>
      <IntervalInput label="Interval" value={seconds} onChange={setSeconds} data-testid="interval" />
      <PresetTimeSelect
        label="Preset"
        value={seconds === '' ? null : seconds}
        onChange={setSeconds}
        data-testid="preset"
      />
    </section>
  );
}

function Trees(): ReactElement {
  const [ticks, setTicks] = useState<readonly string[]>(['Monitor', 'Monitor.List']);
  const [selected, setSelected] = useState<string | null>(null);
  const lazy = useMemo<readonly TreeNode[]>(
    () => [
      { id: 'root', label: 'Factory', lazy: true },
      { id: 'leaf', label: 'Spare' },
    ],
    [],
  );
  const load = async (id: string): Promise<readonly TreeNode[]> => [
    { id: `${id}/a`, label: 'Line A' },
    { id: `${id}/b`, label: 'Line B' },
  ];
  return (
    <section aria-label="Trees">
      <h2>Trees</h2>
      <TreePanel
        label="Permissions"
        nodes={PERMISSIONS}
        opened="*"
        checked={ticks}
        onCheck={setTicks}
        search
        testId="ticks"
      />
      <output data-testid="ticked">{ticks.join(' ')}</output>
      <TreePanel label="Projects" nodes={lazy} selected={selected} onSelect={setSelected} load={load} testId="lazy" />
      <output data-testid="selected">{selected}</output>
    </section>
  );
}

function Uploads(): ReactElement {
  const [logo, setLogo] = useState<readonly string[]>([]);
  const [pictures, setPictures] = useState<readonly string[]>([]);
  const upload = async (file: File): Promise<string> => URL.createObjectURL(file);
  return (
    <section aria-label="Uploads">
      <h2>Uploads</h2>
      <UploadField kind="logo" label="Logo" value={logo} onChange={setLogo} upload={upload} />
      <UploadField kind="carousel" label="Pictures" value={pictures} onChange={setPictures} upload={upload} max={2} />
    </section>
  );
}

const NAMES: readonly Column<Person>[] = [
  { id: 'name', title: 'Name', cell: (row) => row.name, text: (row) => row.name, fixed: true, card: 'title' },
  { id: 'city', title: 'City', cell: (row) => row.city, card: 'fact' },
];
const READY: TableQuery = { isPending: false, isFetching: false, error: null, refetch: () => undefined };
const MANY_PEOPLE = everybody().rows.slice(0, 200);
const idOf = (row: Person): number => row.id;

function SmallTable(): ReactElement {
  return (
    <section aria-label="Table of a dialog">
      <h2>Table of a dialog</h2>
      <DataTable
        name="small"
        label="Small"
        columns={NAMES}
        rows={MANY_PEOPLE}
        rowId={idOf}
        query={READY}
        virtual
        height={DIALOG_TABLE_PX}
      />
      <DataTable name="none" label="None" columns={NAMES} rows={[]} rowId={idOf} query={READY} />
    </section>
  );
}
