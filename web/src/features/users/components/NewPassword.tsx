import { PasswordInput } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { PASSWORD_MIN, PUNCTUATION } from '../account';
import { PasswordStrength } from './PasswordStrength';

interface Props {
  label: string;
  value: string;
  onChange: (password: string) => void;
  error?: ReactNode;
  userName: string;
  /** May stay empty, for the cloud to make one. */
  optional?: boolean;
  disabled?: boolean;
  testId?: string;
}

/** A new password with its rule and how strong it is. */
export function NewPassword({
  label,
  value,
  onChange,
  error,
  userName,
  optional = false,
  disabled = false,
  testId,
}: Props): ReactElement {
  const { t } = useTranslation();
  const rule = t('users:rule.password', { least: PASSWORD_MIN, punctuation: PUNCTUATION });
  return (
    <div>
      <PasswordInput
        label={label}
        description={optional ? `${t('users:password.optional')} ${rule}` : rule}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error}
        required={!optional}
        disabled={disabled}
        autoComplete="new-password"
        data-testid={testId}
      />
      <PasswordStrength password={value} userName={userName} />
    </div>
  );
}
