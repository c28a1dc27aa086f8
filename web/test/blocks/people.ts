import { ApiError } from '@/api/errors';
import type { ListRequest, Page } from '@/components/resource/resource';

export interface Person {
  id: number;
  name: string;
  type: number;
  phone: string;
  email: string;
  city: string;
  expires_ms: number;
  status: number;
}

export type Draft = { name: string; type: string; phone: string };

const CITIES = ['Hangzhou', 'Suzhou', 'Chengdu', 'Xi\u2019an', 'Qingdao'];
const NOW = Date.UTC(2026, 10, 21);
const DAY_MS = 86_400_000;

export function person(id: number): Person {
  return {
    id,
    name: `user${String(id).padStart(5, '0')}`,
    type: 1 + (id % 4),
    phone: `1380000${String(id).padStart(4, '0')}`,
    email: `user${id}@example.com`,
    city: CITIES[id % CITIES.length] ?? '',
    expires_ms: NOW + ((id * 37) % 900) * DAY_MS,
    status: id % 7 === 0 ? 0 : 1,
  };
}

/** A cloud in the page: 21 people, and the rules that a real one would have. */
const begin = (): Person[] => Array.from({ length: 21 }, (_, at) => person(at + 1));
let people: Person[] = begin();
let nextId = 1000;

/** As at the beginning, for the next test. */
export function resetPeople(): void {
  people = begin();
}

export async function listPeople(asked: ListRequest): Promise<Page<Person>> {
  await new Promise((resolve) => setTimeout(resolve, 30));
  const { search = '', type = '', status = '' } = asked.filters;
  const rows = people.filter(
    (each) =>
      each.name.includes(search) &&
      (type === '' || String(each.type) === type) &&
      (status === '' || String(each.status) === status),
  );
  const by = asked.sort?.by === 'city' ? 'city' : 'name';
  rows.sort((a, b) => a[by].localeCompare(b[by]) * (asked.sort?.descending === true ? -1 : 1));
  return { rows: rows.slice((asked.page - 1) * asked.limit, asked.page * asked.limit), total: rows.length };
}

export async function addPerson(draft: Draft): Promise<Person> {
  if (people.some((each) => each.name === draft.name)) {
    throw new ApiError({ code: 10002, status: 400, field: 'body.user_name', rule: 'not taken by another user' });
  }
  if (draft.name === 'broken') throw new ApiError({ code: 20000, status: 503, msg: 'The mail server does not answer' });
  const made = { ...person(nextId++), name: draft.name, type: Number(draft.type), phone: draft.phone };
  people = [...people, made];
  return made;
}

export async function changePerson(id: number, draft: Draft): Promise<void> {
  people = people.map((each) =>
    each.id === id ? { ...each, name: draft.name, type: Number(draft.type), phone: draft.phone } : each,
  );
}

export async function removePeople(ids: readonly number[]): Promise<void> {
  people = people.filter((each) => !ids.includes(each.id));
}

export async function bringBack(row: Person): Promise<void> {
  people = [...people, row];
}

export const MANY = 10_000;

/** Everybody of a large platform, as one answer. */
export function everybody(): Page<Person> {
  return { rows: Array.from({ length: MANY }, (_, at) => person(at + 1)), total: MANY };
}
