import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { statusOf } from '@/lib/statusCodes';
import type { StatusKind } from '@/lib/statusCodes';
import { ToneText } from './Tone';

interface Props {
  kind: StatusKind;
  code: string | number | null;
  /** Of a device that never came: it is told as that where it would be offline. */
  isNew?: boolean;
}

const DEVICE_KEY = 'base:code.device.';
const AWAY: ReadonlySet<string> = new Set([
  `${DEVICE_KEY}offline`,
  `${DEVICE_KEY}silent`,
  `${DEVICE_KEY}new`,
  'base:code.onoff.0',
]);

/** A status code as icon and word; '-' for one that is not known. */
export function StatusBadge({ kind, code, isNew = false }: Props): ReactElement {
  const { t } = useTranslation();
  const known = code === null ? null : statusOf(kind, isNew && code === 'offline' ? 'new' : code);
  if (known === null) return <span>-</span>;
  const badge = (
    <ToneText tone={known.tone} icon={AWAY.has(known.key) ? 'plug' : undefined}>
      {t(known.key)}
    </ToneText>
  );
  return kind === 'device' ? (
    <span title={t(`base:deviceStatus.${known.key.slice(DEVICE_KEY.length)}`)}>{badge}</span>
  ) : (
    badge
  );
}
