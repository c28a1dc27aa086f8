/** Letters that open a screen after 'g', with its address. */
export const GO_KEYS: readonly (readonly [letter: string, path: string])[] = [
  ['m', '/monitor/device'],
  ['l', '/monitor/list'],
  ['k', '/monitor/deviceMap'],
  ['a', '/alarm/alarmlog'],
  ['o', '/alarm/onOffline'],
  ['h', '/dataCenter/hisData'],
  ['p', '/group/index'],
  ['d', '/device/deviceManage'],
  ['t', '/device/template'],
  ['u', '/user/authuser'],
  ['i', '/user/auditLog'],
];
/** The letter must come this soon after 'g'. */
export const GO_TIMEOUT_MS = 1_500;

/** The first field in view that searches the page in front. */
export function searchField(): HTMLInputElement | null {
  const fields = document.querySelectorAll<HTMLInputElement>('#content input[data-search-field]');
  return [...fields].find((field) => field.checkVisibility() && !field.disabled) ?? null;
}

type Pressed = Pick<
  KeyboardEvent,
  'key' | 'ctrlKey' | 'altKey' | 'metaKey' | 'isComposing' | 'repeat' | 'defaultPrevented' | 'target'
>;

/** A key by itself, pressed where nothing is typed and no dialog is open. */
export function isShortcut(event: Pressed): boolean {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.repeat || event.defaultPrevented)
    return false;
  const target = event.target instanceof HTMLElement ? event.target : null;
  if (
    target?.closest(
      'input, textarea, select, [contenteditable]:not([contenteditable="false"]), [role="combobox"], [role="menu"]',
    )
  )
    return false;
  return document.querySelector('[role="dialog"][aria-modal="true"]') === null;
}
