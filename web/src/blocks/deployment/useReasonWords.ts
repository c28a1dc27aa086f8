import { useTranslation } from 'react-i18next';
import { codeKey, lostPoints, silentSlaves, withReasons } from './reason';

/** Why a deployment ended as it did: in the user's language as far as it can be told, then in the gateway's own words. */
export function useReasonWords(): (code: string, detail: string) => string {
  const { t } = useTranslation();
  return (code, detail) => {
    const key = codeKey(code);
    const lost = lostPoints(detail);
    const silent = silentSlaves(detail);
    const text = silent === null ? detail : t('base:deployment.silentSlaves', { slaves: withReasons(silent, t) });
    const more = lost === null ? text : t('base:deployment.lost', { ...lost, slaves: withReasons(lost.slaves, t) });
    return [key === null ? code : t(key), more].filter(Boolean).join(' · ');
  };
}
