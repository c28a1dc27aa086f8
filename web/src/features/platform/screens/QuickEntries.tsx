import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import page from '@/components/page.module.css';
import { useOwnEntries } from '../components/useOwnEntries';
import classes from '../platform.module.css';

/** The user's own buttons of the top bar as a page; the nickname menu has the same in a dialog, for every user. */
export default function QuickEntries(): ReactElement {
  const { t } = useTranslation();
  const { add, list, layer } = useOwnEntries();
  return (
    <section className={page.panel}>
      <div className={page.bar}>
        <h1>{t('platform:title.platform')}</h1>
        {add}
      </div>
      <div className={classes.body}>{list}</div>
      {layer}
    </section>
  );
}
