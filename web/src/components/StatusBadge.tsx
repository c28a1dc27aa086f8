import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { statusOf } from '@/lib/statusCodes';
import type { StatusKind } from '@/lib/statusCodes';
import { ToneText } from './Tone';

/** A status code as icon and word; '-' for one that is not known. */
export function StatusBadge({ kind, code }: { kind: StatusKind; code: string | number | null }): ReactElement {
  const { t } = useTranslation();
  const known = code === null ? null : statusOf(kind, code);
  if (known === null) return <span>-</span>;
  return <ToneText tone={known.tone}>{t(known.key)}</ToneText>;
}
