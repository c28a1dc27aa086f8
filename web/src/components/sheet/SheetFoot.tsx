import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Block } from './model/selection';
import classes from './sheet.module.css';

interface Props {
  rows: number;
  block: Block;
  notice: string;
  /** The active cell in words. */
  words: string;
}

/** What became of the last step, how much is selected, and the way out for the keyboard. */
export function SheetFoot({ rows, block, notice, words }: Props): ReactElement {
  const { t } = useTranslation();
  const cells = (block.bottom - block.top + 1) * (block.right - block.left + 1);
  return (
    <div className={classes.foot}>
      <span role="status" className={classes.notice} data-testid="sheet-notice">
        {notice}
      </span>
      <span className="visually-hidden" aria-live="polite">
        {words}
      </span>
      <span>
        {cells > 1
          ? t('base:sheet.selected', { rows: block.bottom - block.top + 1, columns: block.right - block.left + 1 })
          : t('base:sheet.keys')}
      </span>
      <span data-testid="sheet-total">{t('base:sheet.total', { count: rows })}</span>
    </div>
  );
}
