import { Button, Tooltip } from '@mantine/core';
import type { ButtonProps } from '@mantine/core';
import type { MouseEventHandler, ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { mayOpen } from '@/lib/screens';
import type { CloudFlag, Gate } from '@/lib/screens';
import { useAccess } from '@/lib/session';

/** A code, a rule, or a code with the user types and the cloud switch that it is bound to. */
export type Asks =
  string | Gate | { permission?: string | Gate | null; userTypes?: readonly number[]; cloudFlag?: CloudFlag };

/** May the signed-in user do this? What it asks is stated as in a screen's record; undefined asks nothing. */
export function usePerm(asks: Asks | undefined): boolean {
  const access = useAccess();
  if (asks === undefined) return true;
  const gate = typeof asks === 'object' ? asks : { permission: asks };
  return mayOpen({ layout: 'admin', permission: null, ...gate }, access);
}

/** Its children for who may; nothing, or the fallback, for others. */
export function PermissionGate({
  asks,
  fallback = null,
  children,
}: {
  asks: Asks;
  fallback?: ReactNode;
  children: ReactNode;
}): ReactNode {
  return usePerm(asks) ? children : fallback;
}

interface PermButtonProps extends ButtonProps {
  asks: Asks | undefined;
  /** What who may not sees: a button that says why it is off, or nothing. */
  mode?: 'disable' | 'hide';
  /** Why it is off for another reason than a permission; '' when it is not. */
  why?: string;
  onClick?: MouseEventHandler<HTMLButtonElement>;
  'data-testid'?: string;
}

/** A button that is off, with the reason, for who may not. It keeps the focus then, so that the reason can be read by keyboard. */
export function PermButton({
  asks,
  mode = 'disable',
  why = '',
  onClick,
  children,
  ...rest
}: PermButtonProps): ReactElement | null {
  const { t } = useTranslation();
  const may = usePerm(asks);
  if (!may && mode === 'hide') return null;
  const reason = may ? why : t('base:perm.missing');
  if (reason === '') {
    return (
      <Button onClick={onClick} {...rest}>
        {children}
      </Button>
    );
  }
  return (
    <Tooltip label={reason} events={{ hover: true, focus: true, touch: true }}>
      <Button {...rest} data-disabled aria-disabled onClick={(event) => event.preventDefault()}>
        {children}
      </Button>
    </Tooltip>
  );
}
