import { IconArrowRight } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './fieldChange.module.css';
import { valueText } from './valueText';

interface Props {
  /** Name of the field in the document, or in its group. */
  field: string;
  /** What it is called; null for one that is known by its name only. */
  words: string | null;
  before: unknown;
  after: unknown;
}

/** A field that becomes another: one line of every difference that is deployed. */
export function FieldChange({ field, words, before, after }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <div className={classes.field} data-testid="field-change" data-field={field}>
      <span className={classes.fieldName}>
        {words ?? <code>{field}</code>}
        {words === null ? null : <span className={classes.sub}>{field}</span>}
      </span>
      <span className={classes.values}>
        <Value value={before} className={classes.before} />
        <IconArrowRight
          size={12}
          style={{ margin: '0 8px', verticalAlign: 'middle' }}
          aria-label={t('base:fieldChange.becomes')}
        />
        <Value value={after} className={classes.after} />
      </span>
    </div>
  );
}

function Value({ value, className }: { value: unknown; className: string | undefined }): ReactElement {
  const { t } = useTranslation();
  const text = valueText(value);
  return text === null ? (
    <span className={classes.absent}>{t('base:fieldChange.absent')}</span>
  ) : (
    <span className={className}>{text}</span>
  );
}
