import { useTranslation } from 'react-i18next';
import { titleFor, useBrand } from '@/lib/brand';
import { useSession } from '@/lib/session';

/** Title of the platform for the signed-in user. */
export function useTitle(): string {
  const { t } = useTranslation();
  const user = useSession((state) => state.user);
  const permissions = useSession((state) => state.permissions);
  const platformTitle = useBrand((brand) => brand.platformTitle);
  return titleFor(user, permissions, platformTitle, t('base:product'));
}
