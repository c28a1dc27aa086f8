import { IconChecks, IconHistoryToggle, IconShieldCheck } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { BrandMark } from '@/components/BrandMark';
import { useBrand } from '@/lib/brand';
import classes from '../session.module.css';
import { Carousel } from './Carousel';

/** The panel beside the form: the platform's pictures, or what the product stands for. */
export function Side({ title }: { title: string }): ReactElement {
  const { t } = useTranslation();
  const { logo, background, carousel } = useBrand();
  return (
    <aside
      className={classes.side}
      aria-label={title}
      data-picture={background !== '' || undefined}
      style={background === '' ? undefined : { backgroundImage: `url("${background}")` }}
    >
      {background === '' ? <Trace /> : null}
      <div className={classes.brand}>
        {logo === '' ? <BrandMark size={28} /> : <img src={logo} alt="" width={28} height={28} />}
        <span>{title}</span>
      </div>
      {carousel.length > 0 ? <Carousel pictures={carousel} /> : <Claim />}
      <div className={classes.advice}>
        <span>{t('session:login.browser')}</span>
      </div>
    </aside>
  );
}

function Claim(): ReactElement {
  const { t } = useTranslation();
  const facts = [
    { icon: IconChecks, text: t('session:login.fact.complete') },
    { icon: IconHistoryToggle, text: t('session:login.fact.offline') },
    { icon: IconShieldCheck, text: t('session:login.fact.command') },
  ];
  return (
    <div className={classes.words}>
      <p className={classes.claim}>{t('session:login.claim')}</p>
      <ul className={classes.facts}>
        {facts.map(({ icon: Icon, text }) => (
          <li key={text}>
            <Icon size={20} stroke={1.6} aria-hidden />
            <span>{text}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Trace(): ReactElement {
  return (
    <svg className={classes.trace} viewBox="0 0 600 200" preserveAspectRatio="none" aria-hidden>
      <path
        d="M0 150 L60 150 80 120 110 165 150 90 190 140 240 132 280 60 320 120 370 108 420 112 460 40 500 92 600 84"
        fill="none"
        stroke="#4f90c4"
        strokeWidth="2"
        vectorEffect="non-scaling-stroke"
      />
      <path d="M0 176 H600" stroke="#35597a" strokeDasharray="4 6" vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
