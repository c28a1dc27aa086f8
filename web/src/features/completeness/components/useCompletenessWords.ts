import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { percentText } from '@/lib/percent';
import { reasonKey } from '@/lib/reasons';
import { formatDateTime } from '@/lib/time';
import type { Span } from '@/lib/time';
import type { Bucket, Collected, OnOfflineEntry, Reason } from '../api';
import { isUnknown, REASONS } from '../strip';

interface Words {
  /** '2026-11-21 09:00 – 10:00', or the day. */
  period: (span: Span) => string;
  /** 'held by the gateway 3, unknown 1'; empty when nothing is missing. */
  missing: (reasons: Bucket['reasons']) => string;
  /** Everything of one cell in a sentence. */
  bucket: (bucket: Bucket, offline: boolean) => string;
  /** Why a gateway or a slave was away; to whom its port was lent. */
  away: (entry: Pick<OnOfflineEntry, 'reason' | 'lent_to'>) => string;
}

/** Evidence in the user's language. */
export function useCompletenessWords(): Words {
  const { t } = useTranslation();
  return useMemo(() => wordsOf(t), [t]);
}

function wordsOf(t: TFunction): Words {
  const readsOf = (collection: Collected): string => {
    const { percent, missed, no_figure: code } = collection;
    if (percent === null)
      return code === null
        ? t('completeness:mark.unknown')
        : t('completeness:cell.noReads', { why: t(`completeness:noFigure.${code}`) });
    const words = t('completeness:cell.collection', { percent: percentText(percent), missed });
    return isUnknown(collection)
      ? `${words}${t('completeness:comma')}${t('completeness:collection.partlyUnknown')}`
      : words;
  };
  const missing: Words['missing'] = (reasons) =>
    REASONS.filter((reason) => (reasons[reason] ?? 0) > 0)
      .map((reason) =>
        t('completeness:ofReason', {
          reason: t(`completeness:gap.${reason satisfies Reason}`),
          count: reasons[reason] ?? 0,
        }),
      )
      .join(t('completeness:comma'));
  const period: Words['period'] = ({ start_ms, end_ms }) => {
    const [from, to] = [formatDateTime(start_ms).slice(0, -3), formatDateTime(end_ms).slice(0, -3)];
    if (from.endsWith('00:00') && to.endsWith('00:00')) return from.slice(0, 10);
    return from.slice(0, 10) === to.slice(0, 10) ? `${from} – ${to.slice(11)}` : `${from} – ${to}`;
  };
  return {
    period,
    missing,
    bucket: (bucket, offline) => {
      const parts = [
        t('completeness:cell.transport', { percent: percentText(bucket.percent) }),
        t('completeness:cell.received', { count: bucket.received }),
        bucket.late > 0 && t('completeness:cell.late', { count: bucket.late }),
        bucket.missing > 0 &&
          t('completeness:cell.missing', { count: bucket.missing, reasons: missing(bucket.reasons) }),
        bucket.duplicates > 0 && t('completeness:cell.duplicates', { count: bucket.duplicates }),
        bucket.dropped_samples > 0 && t('completeness:cell.dropped', { count: bucket.dropped_samples }),
        offline && t('completeness:cell.offline'),
      ];
      const lines = bucket.percent === null ? [t('completeness:mark.nothing'), ...parts.slice(2)] : parts;
      return [readsOf(bucket.collection), ...lines].filter(Boolean).join(t('completeness:comma'));
    },
    away: ({ reason, lent_to }) => {
      if (lent_to) return t('completeness:lentTo', { user: lent_to });
      const key = reasonKey(reason);
      return key === null ? reason : t(key);
    },
  };
}
