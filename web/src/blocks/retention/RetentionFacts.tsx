import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import page from '@/components/page.module.css';
import { RETENTION_FIELDS } from './api';
import type { RetentionDays } from './api';

/** How long each kind of data is kept. */
export function RetentionFacts({ days }: { days: RetentionDays }): ReactElement {
  const { t } = useTranslation();
  return (
    <dl className={page.facts}>
      {RETENTION_FIELDS.map((field) => (
        <div key={field}>
          <dt>{t(`base:retention.of.${field}`)}</dt>
          <dd>{days[field] === 0 ? t('base:retention.forEver') : t('base:duration.d', { count: days[field] })}</dd>
        </div>
      ))}
    </dl>
  );
}
