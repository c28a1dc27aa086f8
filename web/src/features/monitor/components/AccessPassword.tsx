import { PasswordInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { accessPasswordQuery } from '../api';

export interface Access {
  isAsked: boolean;
  /** Is what a write needs there? */
  isReady: boolean;
  password: string | null;
  setPassword: (password: string) => void;
}

/** The access password of a gateway that has one; it is kept no longer than the form that asks for it. */
export function useAccessPassword(deviceId: number): Access {
  const { data } = useQuery(accessPasswordQuery(deviceId));
  const [password, setPassword] = useState('');
  const isAsked = data?.is_set ?? false;
  return { isAsked, isReady: !isAsked || password !== '', password: isAsked ? password : null, setPassword };
}

export function AccessPassword({ access }: { access: Access }): ReactElement | null {
  const { t } = useTranslation();
  if (!access.isAsked) return null;
  return (
    <PasswordInput
      label={t('monitor:access.label')}
      description={t('monitor:access.asked')}
      value={access.password ?? ''}
      onChange={(event) => access.setPassword(event.currentTarget.value)}
      visibilityToggleButtonProps={{ 'aria-label': t('monitor:access.show') }}
      maxLength={200}
      autoComplete="off"
      required
      data-testid="access-password"
    />
  );
}
