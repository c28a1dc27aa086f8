import { useTranslation } from 'react-i18next';
import type { DeviceDetail } from '@/api/generated/types.gen';
import { hindranceOf } from '@/lib/deviceAccess';
import { useMay } from '@/lib/session';

/** Why the signed-in user may not do this to a gateway, in words; '' when he may. missing: the words for a lacking permission. */
export function useHindrance(
  permission: string,
  { access }: Pick<DeviceDetail, 'access'>,
  missing = 'base:perm.missing',
): string {
  const { t } = useTranslation();
  const hindrance = hindranceOf(useMay(permission), access);
  if (hindrance === null) return '';
  return t(hindrance === 'permission' ? missing : 'base:why.shared_read_only');
}
