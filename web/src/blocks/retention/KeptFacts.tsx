import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import page from '@/components/page.module.css';
import { KEPT_FIELDS } from './api';
import type { KeptDays } from './api';

/** How long each kind of data is kept. */
export function KeptFacts({ kept }: { kept: KeptDays }): ReactElement {
  const { t } = useTranslation();
  return (
    <dl className={page.facts}>
      {KEPT_FIELDS.map((field) => (
        <div key={field}>
          <dt>{t(`base:retention.of.${field}`)}</dt>
          <dd>{kept[field] === 0 ? t('base:retention.forEver') : t('base:duration.d', { count: kept[field] })}</dd>
        </div>
      ))}
    </dl>
  );
}
