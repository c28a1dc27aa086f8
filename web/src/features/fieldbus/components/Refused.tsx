import { Alert } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ruleText } from '@/components/ruleText';
import type { ConfigurationFault } from '../api';
import classes from '../fieldbus.module.css';

/** Faults that are shown at once; a map has thousands of rows. */
const VISIBLE = 10;

/** What the gateway refuses of a section, by the names of the document's fields. */
export function Refused({ faults }: { faults: readonly ConfigurationFault[] }): ReactElement | null {
  const { t } = useTranslation();
  if (faults.length === 0) return null;
  return (
    <Alert color="yellow" mb="sm" role="alert" data-testid="section-refused">
      {t('fieldbus:draft.refused', { count: faults.length })}
      <ul className={classes.faults}>
        {faults.slice(0, VISIBLE).map(({ field, rule }) => (
          <li key={`${field} ${rule}`}>
            <code>{field}</code> {ruleText(rule)}
          </li>
        ))}
      </ul>
    </Alert>
  );
}
