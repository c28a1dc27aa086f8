/** Groups of the menu in their order, without their icons: these are needed behind the sign-in only. */
export const SECTION_IDS = [
  'dashboard',
  'monitor',
  'alarm',
  'dataCenter',
  'group',
  'device',
  'monitorScreen',
  'screen',
  'scada',
  'ota',
  'camera',
  'maintenance',
  'lawEnforcement',
  'other',
  'fee',
  'user',
] as const;

export type SectionId = (typeof SECTION_IDS)[number];
