import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { isEmail, isPhone, isUserName, PASSWORD_MIN, PASSWORD_MAX, passwordFault, PUNCTUATION } from '../account';

export interface Faults {
  name: (name: string) => string | null;
  /** optional: empty is none. */
  password: (password: string, optional?: boolean) => string | null;
  phone: (phone: string) => string | null;
  email: (email: string) => string | null;
}

/** What is wrong with a field, in words; null for nothing. */
export function useFaults(): Faults {
  const { t } = useTranslation();
  return useMemo(
    () => ({
      name: (name) => (isUserName(name.trim()) ? null : t('users:rule.name')),
      password: (password, optional = false) => {
        const fault = optional && password === '' ? null : passwordFault(password);
        return fault === null
          ? null
          : t(`users:fault.${fault}`, { least: PASSWORD_MIN, most: PASSWORD_MAX, punctuation: PUNCTUATION });
      },
      phone: (phone) => (isPhone(phone) ? null : t('users:rule.phone')),
      email: (email) => (isEmail(email) ? null : t('users:rule.email')),
    }),
    [t],
  );
}
