import { lazy, Suspense } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { titleFor, useBrand } from '@/lib/brand';
import { Side } from '../components/Side';
import { SignInForm } from '../components/SignInForm';
import classes from '../session.module.css';

const Switches = lazy(() => import('../components/Switches'));

/** Sign-in, with the looks of this host name. */
export default function Login(): ReactElement {
  const { t } = useTranslation();
  const { platformTitle, browserTitle, tkloc, icp } = useBrand();
  const title = titleFor(null, [], platformTitle, t('base:product'));
  return (
    <div className={classes.page}>
      <title>{`${t('session:login.title')} · ${browserTitle || title}`}</title>
      <Side title={title} />
      <main className={classes.main}>
        <div className={classes.tools}>
          <Suspense fallback={null}>
            <Switches />
          </Suspense>
        </div>
        <div className={classes.form}>
          <h1>{t('session:login.welcome')}</h1>
          <p className={classes.hint} data-testid="platform-title">
            {title}
          </p>
          <SignInForm />
        </div>
        <footer className={classes.small}>
          <span className={classes.adviceBelow}>{t('session:login.browser')}</span>
          {tkloc === '' ? null : <span>{tkloc}</span>}
          {icp === '' ? null : <span>{icp}</span>}
        </footer>
      </main>
    </div>
  );
}
