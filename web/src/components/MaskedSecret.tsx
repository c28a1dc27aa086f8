import { ActionIcon, Tooltip } from '@mantine/core';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from './CopyText';

/** A secret that was shown is hidden again after this long. */
export const REVEAL_MS = 30_000;
const MASK = '••••••••';

/** A secret: hidden, shown for 30 s on request, copied without being shown. */
export function MaskedSecret({ secret, name }: { secret: string; name: string }): ReactElement {
  const { t } = useTranslation();
  const [revealed, setRevealed] = useState(false);
  useEffect(() => {
    if (!revealed) return undefined;
    const timer = setTimeout(() => setRevealed(false), REVEAL_MS);
    return () => clearTimeout(timer);
  }, [revealed]);
  const label = revealed ? t('base:secret.hide', { name }) : t('base:secret.show', { name });
  const Icon = revealed ? IconEyeOff : IconEye;
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 4 }}>
      <code data-testid="secret" style={{ overflowWrap: 'anywhere' }}>
        {revealed ? secret : MASK}
      </code>
      <Tooltip label={label}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={28}
          onClick={() => setRevealed(!revealed)}
          aria-label={label}
          data-testid="secret-show"
        >
          <Icon size={15} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <CopyButton text={secret} name={name} />
    </span>
  );
}
