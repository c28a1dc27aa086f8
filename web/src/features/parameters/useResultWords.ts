import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { codeKey as reasonKey } from '@/blocks/deployment/reason';
import { codeKey } from '@/blocks/jobs/campaign';
import { ruleText } from '@/components/ruleText';
import { isOpen } from './model/results';

/** What came of a plan at a gateway, and why, in words. state: '' where nothing was deployed. */
export function useResultWords(): (state: string, code: string) => string {
  const { t } = useTranslation();
  return useCallback(
    (state: string, code: string) => {
      const reason = reasonKey(code) ?? codeKey(code);
      const why = code === '' ? '' : reason === null ? ruleText(code) : t(reason);
      if (isOpen(state)) return t('base:campaign.step.begun');
      const name = codeKey(state === '' ? (code === '' ? 'unchanged' : 'refused') : state);
      const how = state === '' && code !== '' ? t('parameters:result.notAsked') : name === null ? state : t(name);
      return [how, why].filter(Boolean).join(' · ');
    },
    [t],
  );
}
