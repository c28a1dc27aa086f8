import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { statusOf } from '@/lib/statusCodes';
import type { StatusKind } from '@/lib/statusCodes';
import { ToneText } from './Tone';

interface Props {
  kind: StatusKind;
  code: string | number | null;
  /** Of a gateway that never came: its absence is no fault yet. */
  isNew?: boolean;
}

/** A status code as icon and word; '-' for one that is not known. */
export function StatusBadge({ kind, code, isNew = false }: Props): ReactElement {
  const { t } = useTranslation();
  const known = code === null ? null : statusOf(kind, code);
  if (known === null) return <span>-</span>;
  const isAway = known.key === 'base:code.device.offline' || known.key === 'base:code.onoff.0';
  return (
    <ToneText tone={isAway && isNew ? 'off' : known.tone} icon={isAway ? 'plug' : undefined}>
      {t(known.key)}
    </ToneText>
  );
}
