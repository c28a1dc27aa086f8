import { notifications } from '@mantine/notifications';
import i18next from 'i18next';
import { ApiError, CODE, lastName, presentation } from '@/api/errors';
import { useErrorLog } from '@/lib/errorLog';
import { session } from '@/lib/session';
import { refusalText } from './refusal';
import { ruleText } from './ruleText';

/** Error toasts stay this long, by specification. */
export const TOAST_MS = 5000;

/** One sentence for an error; empty when it is not to be told. */
export function errorText(error: unknown): string {
  const view = presentation(error);
  if (view.kind === 'text' || view.kind === 'key') {
    const refused = refusalText(error);
    if (refused !== null) return isConstraint(error) ? parameterText(error.facts.field, refused) : refused;
    if (error instanceof ApiError && error.facts.code === CODE.PARAMETER)
      return parameterText(error.facts.field, ruleText(error.facts.rule));
  }
  switch (view.kind) {
    case 'silent':
      return '';
    case 'expired':
      return i18next.t('base:error.expired');
    case 'text':
      return view.text;
    case 'key':
      return view.detail === '' ? i18next.t(view.key) : `${i18next.t(view.key)} · ${view.detail}`;
  }
}

/** What a value breaks is told with the field's name; a refusal in words of its own needs none. */
function isConstraint(error: unknown): error is ApiError {
  return error instanceof ApiError && error.facts.reason.startsWith('constraint.');
}

function parameterText(field: string, rule: string): string {
  const detail = [lastName(field), rule].filter(Boolean).join(': ');
  return detail === '' ? i18next.t('base:error.parameter') : `${i18next.t('base:error.parameter')} · ${detail}`;
}

/** Tell the user about an error as the catalogue says. The same text is not stacked. */
export function showError(error: unknown): void {
  const view = presentation(error);
  if (view.kind === 'silent') return;
  if (view.kind === 'expired') {
    session.setState({ isExpired: true });
    return;
  }
  const message = errorText(error);
  useErrorLog.getState().capture(error, message);
  show(`error:${message}`, 'red', message);
}

/** Toasts keep the words that they were shown with: a change of language ends them. */
export function clearNotices(): void {
  notifications.clean();
}

export function showSuccess(message: string): void {
  show(`done:${message}`, 'steel', message);
}

/** Something did not work that is no error of the program. */
export function showNotice(message: string): void {
  show(`notice:${message}`, 'red', message);
}

function show(id: string, color: string, message: string): void {
  notifications.show({ id, color, message, autoClose: TOAST_MS, withBorder: true });
}
