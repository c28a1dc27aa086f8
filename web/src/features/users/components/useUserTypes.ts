import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '@/lib/session';
import { typesBelow, USER_TYPES } from '../account';

export interface TypeOption {
  value: string;
  label: string;
}

/** User types as choices: all, and those that the signed-in user may give. */
export function useUserTypes(): { all: TypeOption[]; below: TypeOption[]; own: number } {
  const { t } = useTranslation();
  const own = useSession((state) => state.user?.type ?? USER_TYPES.length);
  return useMemo(() => {
    const option = (type: number): TypeOption => ({ value: String(type), label: t(`base:userType.${type}`) });
    return { all: USER_TYPES.map(option), below: typesBelow(own).map(option), own };
  }, [t, own]);
}
