/** Names of the tabs in the order of the specification. */
export const TAB_ORDER = [
  'slaves',
  'scada',
  'live',
  'chart',
  'command',
  'cmdlog',
  'camera',
  'history',
  'alarm',
  'onoff',
  'info',
] as const;

/** Tabs in that order, others behind them as they come. */
export function inOrder<Tab extends { name: string }>(tabs: readonly Tab[]): readonly Tab[] {
  const place = ({ name }: Tab): number => {
    const at = (TAB_ORDER as readonly string[]).indexOf(name);
    return at < 0 ? TAB_ORDER.length : at;
  };
  return tabs.toSorted((a, b) => place(a) - place(b));
}
