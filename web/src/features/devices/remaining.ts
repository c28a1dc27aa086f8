import type { PortBody, SlaveBody } from '@/api/generated/types.gen';
import type { Choice } from '@/components/AsyncPicker';
import { freeName } from './wizardSlaves';
import type { Plan, Taken } from './wizardSlaves';

/** One call that a new gateway needs. name: of the template, port or slave. secret: the password of a slave, which was not kept over a reload. */
export type Task =
  | { part: 'gateway'; name: string; template: number }
  | { part: 'port'; name: string; body: PortBody }
  | { part: 'slave'; name: string; body: SlaveBody & { name: string }; isBare: boolean }
  | { part: 'points'; name: string; template: Choice }
  | { part: 'secret'; name: string }
  | { part: 'password'; name: string; password: string };

/** What did not come about, and why in words; '' before it was tried. */
export type Missing = Task & { why: string };

/** What a new gateway still lacks. isNamed: the names were found free in its draft; one that is there then was made. */
export interface Remaining {
  missing: readonly Missing[];
  isNamed: boolean;
  /** Slaves without a template: their points are still to be entered. */
  bare: readonly string[];
}

export const NOTHING_REMAINS: Remaining = { missing: [], isNamed: false, bare: [] };

/** In the order in which they are made. */
export function tasksOf(template: Choice | null, { ports, slaves }: Plan, password: string): readonly Missing[] {
  const tasks: Task[] = [
    ...(template === null
      ? []
      : [{ part: 'gateway', name: template.label, template: Number(template.value) } as const]),
    ...ports.map((body) => ({ part: 'port', name: body.name ?? '', body }) as const),
    ...slaves.flatMap(({ body, template: of }): Task[] => [
      { part: 'slave', name: body.name, body, isBare: of === null },
      ...(of === null ? [] : [{ part: 'points', name: body.name, template: of } as const]),
    ]),
    ...(password === '' ? [] : [{ part: 'password', name: '', password } as const]),
  ];
  return tasks.map((task) => ({ ...task, why: '' }));
}

/** The same under names that are free: a gateway template may have brought ports and slaves. */
export function renamed(missing: readonly Missing[], taken: Taken): readonly Missing[] {
  const [ports, slaves] = [new Set(taken.ports), new Set(taken.slaves)];
  const [portNames, slaveNames] = [new Map<string, string>(), new Map<string, string>()];
  const named = (name: string, used: Set<string>, names: Map<string, string>): string => {
    const free = freeName(name, used);
    used.add(free);
    names.set(name, free);
    return free;
  };
  return missing.map((task) => {
    if (task.part === 'port') {
      const name = named(task.name, ports, portNames);
      return { ...task, name, body: { ...task.body, name } };
    }
    if (task.part === 'slave') {
      const name = named(task.name, slaves, slaveNames);
      const { port } = task.body;
      return { ...task, name, body: { ...task.body, name, port: portNames.get(port ?? '') ?? port } };
    }
    return task.part === 'points' ? { ...task, name: slaveNames.get(task.name) ?? task.name } : task;
  });
}

/** What another try cannot do: a secret that was not kept is entered by hand. */
export function isByHand(task: Task): boolean {
  return task.part === 'secret' || (task.part === 'password' && task.password === '');
}

const STORAGE_KEY = 'edge.add-device.remaining';

/** Passwords are not kept. */
function withoutSecrets(task: Missing): readonly Missing[] {
  if (task.part === 'password') return [{ ...task, password: '' }];
  const { password, ...options } = (task.part === 'slave' ? task.body.options : null) ?? {};
  if (task.part !== 'slave' || password === undefined) return [task];
  return [
    { ...task, body: { ...task.body, options } },
    { part: 'secret', name: task.name, why: '' },
  ];
}

/** What a reload would lose; of the last gateway that was added. */
export function keepRemaining(store: Storage, id: number, remaining: Remaining): void {
  store.setItem(STORAGE_KEY, JSON.stringify({ ...remaining, id, missing: remaining.missing.flatMap(withoutSecrets) }));
}

export function storedRemaining(store: Storage, id: number): Remaining {
  try {
    const stored = JSON.parse(store.getItem(STORAGE_KEY) ?? 'null') as (Remaining & { id: number }) | null;
    if (stored?.id !== id || !Array.isArray(stored.missing) || !Array.isArray(stored.bare)) return NOTHING_REMAINS;
    return { missing: stored.missing, isNamed: stored.isNamed, bare: stored.bare };
  } catch {
    return NOTHING_REMAINS;
  }
}
