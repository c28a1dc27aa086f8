import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { ruleText } from '@/components/ruleText';
import { codeKey } from './campaign';
import type { CampaignRow, Step } from './campaign';

/** Words for how far a campaign is with a gateway, and why. */
export function useCampaignWords(): {
  step: (step: Step) => string;
  /** '' where there is nothing to say. */
  why: (row: Pick<CampaignRow, 'state' | 'code'>) => string;
} {
  const { t } = useTranslation();
  const step = useCallback((name: Step) => t(`base:campaign.step.${name}`), [t]);
  const why = useCallback(
    ({ state, code }: Pick<CampaignRow, 'state' | 'code'>) =>
      [state, code]
        .filter((part, at, all) => part !== '' && all.indexOf(part) === at)
        .map((part) => {
          const key = codeKey(part);
          return key === null ? ruleText(part) : t(key);
        })
        .join(' · '),
    [t],
  );
  return { step, why };
}
