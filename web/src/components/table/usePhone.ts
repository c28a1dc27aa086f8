import { useMediaQuery } from '@mantine/hooks';

const PHONE = '(max-width: 767px)';

/** Is the page as narrow as a phone? Then tables are cards. */
export function usePhone(): boolean {
  return useMediaQuery(PHONE, false, { getInitialValueInEffect: false });
}
