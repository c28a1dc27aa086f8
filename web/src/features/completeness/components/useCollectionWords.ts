import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/time';
import type { Collected, CollectionGap } from '../api';
import { MISSED } from '../band';

interface Words {
  /** 'no answer 20, frozen 3'; empty when nothing is missing. */
  missed: (collected: Collected) => string;
  /** The reason of which most reads are missing: 'no answer 20'. */
  most: (collected: Pick<Collected, 'reasons'>) => string;
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
  const counted = ({ reasons }: Pick<Collected, 'reasons'>) =>
    MISSED.map((code) => ({ code, count: reasons[code] ?? 0 })).filter(({ count }) => count > 0);
  const ofReason = ({ code, count }: ReturnType<typeof counted>[number]): string =>
    t('completeness:ofReason', { reason: t(`completeness:missed.${code}`), count });
  return {
    reason,
    missed: (collected) => counted(collected).map(ofReason).join(t('completeness:comma')),
    most: (collected) =>
      counted(collected)
        .toSorted((one, other) => other.count - one.count)
        .slice(0, 1)
        .map(ofReason)
        .join(''),
    why: ({ no_figure: code, good, expected }) =>
      code === null ? t('completeness:collection.goodOf', { good, expected }) : t(`completeness:noFigure.${code}`),
    gap: (gap) => {
      const points = gap.points.length === 0 ? '' : `${gap.points.join(', ')} · `;
      return `${points}${reason(gap)} · ${formatDateTime(gap.from_ms)} – ${formatDateTime(gap.to_ms)}`;
    },
  };
}
