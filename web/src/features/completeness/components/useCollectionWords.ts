import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/time';
import type { Collected, CollectionGap } from '../api';
import { MISSED } from '../band';

interface Words {
  /** 'no answer 20, frozen 3'; empty when nothing is missing. */
  missed: (collected: Collected) => string;
  /** Why there is no share, or of what it is the share. */
  why: (collected: Collected) => string;
  /** Reason, to whom the port was lent, points, and when. */
  gap: (gap: CollectionGap) => string;
  reason: (gap: Pick<CollectionGap, 'reason' | 'lent_to'>) => string;
}

export function useCollectionWords(): Words {
  const { t } = useTranslation();
  return useMemo(() => wordsOf(t), [t]);
}

function wordsOf(t: TFunction): Words {
  const reason: Words['reason'] = ({ reason: code, lent_to: user }) =>
    user ? t('completeness:lentTo', { user }) : t(`completeness:missed.${code}`);
  return {
    reason,
    missed: ({ reasons }) =>
      MISSED.filter((code) => (reasons[code] ?? 0) > 0)
        .map((code) =>
          t('completeness:ofReason', { reason: t(`completeness:missed.${code}`), count: reasons[code] ?? 0 }),
        )
        .join(t('completeness:comma')),
    why: ({ no_figure: code, good, expected }) =>
      code === null ? t('completeness:collection.goodOf', { good, expected }) : t(`completeness:noFigure.${code}`),
    gap: (gap) => {
      const points = gap.points.length === 0 ? '' : `${gap.points.join(', ')} · `;
      return `${points}${reason(gap)} · ${formatDateTime(gap.from_ms)} – ${formatDateTime(gap.to_ms)}`;
    },
  };
}
