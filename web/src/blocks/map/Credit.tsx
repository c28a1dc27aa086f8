import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './map.module.css';

/** Whose map it is, and the number under which its borders may be shown. */
export function Credit({ credit, approval }: { credit: string; approval: string }): ReactElement | null {
  const { t } = useTranslation();
  const words = [credit, approval === '' ? '' : t('base:map.approval', { number: approval })].filter(
    (one) => one !== '',
  );
  if (words.length === 0) return null;
  return (
    <p className={classes.credit} data-testid="map-credit">
      {words.join(' · ')}
    </p>
  );
}
