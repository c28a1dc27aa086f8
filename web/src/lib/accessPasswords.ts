import { createStore, useStore } from 'zustand';
import { session } from './session';

/** What a gateway's access password is asked for with. */
export interface Question {
  deviceId: number;
  /** The gateway's title. */
  device: string;
  /** Was one given that is not it? */
  isWrong: boolean;
}

interface State {
  /** By the gateway's number; in memory only, until the session ends. */
  passwords: ReadonlyMap<number, string>;
  question: (Question & { answer: (password: string | null) => void }) | null;
}

export const accessPasswords = createStore<State>(() => ({ passwords: new Map(), question: null }));

session.subscribe(({ tokens }, before) => {
  if (tokens === null && before.tokens !== null) clearAccessPasswords();
});

/** Forget them all, and answer who waits for one. */
export function clearAccessPasswords(): void {
  accessPasswords.getState().question?.answer(null);
  accessPasswords.setState({ passwords: new Map(), question: null });
}

export function usePasswordQuestion(): State['question'] {
  return useStore(accessPasswords, ({ question }) => question);
}

export function hasAccessPassword(deviceId: number): boolean {
  return accessPasswords.getState().passwords.has(deviceId);
}

/** The one that is known was refused. */
export function forgetAccessPassword(deviceId: number): void {
  accessPasswords.setState(({ passwords }) => ({
    passwords: new Map([...passwords].filter(([id]) => id !== deviceId)),
  }));
}

/** Value of the header X-Access-Password; null when none is known. */
export function accessHeader(): string | null {
  const { passwords } = accessPasswords.getState();
  return passwords.size === 0
    ? null
    : new URLSearchParams([...passwords].map(([id, password]) => [String(id), password])).toString();
}

let queue: Promise<unknown> = Promise.resolve();

/** Ask the user, one question after the other; false when he gives none. */
export function askAccessPassword(question: Question): Promise<boolean> {
  const turn = queue.then(() => ask(question));
  queue = turn;
  return turn;
}

function ask(question: Question): Promise<boolean> {
  if (!question.isWrong && hasAccessPassword(question.deviceId)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const answer = (password: string | null): void => {
      accessPasswords.setState(({ passwords }) => ({
        question: null,
        passwords: password === null ? passwords : new Map(passwords).set(question.deviceId, password),
      }));
      resolve(password !== null);
    };
    accessPasswords.setState({ question: { ...question, answer } });
  });
}
