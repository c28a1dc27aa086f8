import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Annotations } from '@/charts/annotations';
import classes from './history.module.css';

/** What hatching and triangles mean, when there are any. */
export function ChartNotes({ notes }: { notes: Annotations }): ReactElement | null {
  const { t } = useTranslation();
  if (notes.spans.length === 0 && notes.marks.length === 0) return null;
  return (
    <p className={classes.notes} data-testid="history-notes">
      {notes.spans.length === 0 ? null : (
        <span className={classes.offline}>{t('base:history.offline', { count: notes.spans.length })}</span>
      )}
      {notes.marks.length === 0 ? null : (
        <span className={classes.alarm}>{t('base:history.alarms', { count: notes.marks.length })}</span>
      )}
    </p>
  );
}
