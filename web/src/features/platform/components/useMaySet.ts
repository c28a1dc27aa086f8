import { usePerm } from '@/components/permission';

/** Only the platform's own users change what holds for everybody, whatever a rule gives to others. */
export function useMaySet(): boolean {
  return usePerm({ permission: 'SystemSetting', userTypes: [0] });
}
