import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { strengthOf } from '../account';
import type { Strength } from '../account';
import classes from '../users.module.css';

const LEVELS: Record<Strength, number> = { weak: 1, fair: 2, good: 3, strong: 4 };

/** How hard a new password is to guess, as word and bar; nothing for none. */
export function PasswordStrength({ password, userName }: { password: string; userName: string }): ReactElement {
  const { t } = useTranslation();
  const strength = strengthOf(password, userName);
  const level = LEVELS[strength];
  return (
    <div className={classes.strength} aria-live="polite" data-testid="password-strength">
      {password === '' ? null : (
        <>
          <span className={classes.strengthBar} data-level={strength} aria-hidden>
            {[1, 2, 3, 4].map((step) => (
              <i key={step} data-on={step <= level} />
            ))}
          </span>
          <span>{t(`users:strength.${strength}`)}</span>
        </>
      )}
    </div>
  );
}
