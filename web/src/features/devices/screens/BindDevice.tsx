import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import page from '@/components/page.module.css';
import { useGo } from '@/lib/navigation';
import { useTab } from '@/lib/tab';
import { BindForm } from '../components/BindForm';
import classes from '../devices.module.css';

/** Where the QR code of a gateway leads. */
export default function BindDevice(): ReactElement {
  const { t } = useTranslation();
  const go = useGo();
  const { search } = useTab();
  return (
    <section className={page.panel}>
      <div className={page.bar}>
        <h1>{t('devices:bind.title')}</h1>
      </div>
      <div className={classes.wizard}>
        <BindForm code={search.code ?? ''} onBound={({ device_id }) => go('/deviceDetail/index', { device_id })} />
      </div>
    </section>
  );
}
