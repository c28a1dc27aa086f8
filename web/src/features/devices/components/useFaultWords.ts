import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { faultsOf, LIMITS } from '../draft';
import type { Draft, NumberName } from '../draft';

/** Checks a whole draft; words by field. isNew: the serial number counts too. */
export function useFaultWords(isNew: boolean): (draft: Draft) => Record<string, string> {
  const { t } = useTranslation();
  return useCallback(
    (draft) => {
      const words = Object.entries(faultsOf(draft, isNew)).map(([name, fault]) => {
        const [min, max] = LIMITS[name as NumberName] ?? [0, 0];
        return [
          name,
          fault === 'place' ? t('base:map.placeWrong') : t(`devices:fault.${fault}`, { least: min, most: max }),
        ];
      });
      return Object.fromEntries(words) as Record<string, string>;
    },
    [t, isNew],
  );
}
