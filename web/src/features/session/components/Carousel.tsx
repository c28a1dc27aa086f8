import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import classes from '../session.module.css';

const STEP_MS = 6_000;

/** Pictures one after the other; it stands still for a pointer, the focus, and who wants no motion. */
export function Carousel({ pictures }: { pictures: readonly string[] }): ReactElement {
  const { t } = useTranslation();
  const [at, setAt] = useState(0);
  const [held, setHeld] = useState(false);
  const current = at % pictures.length;

  useEffect(() => {
    if (held || pictures.length < 2 || window.matchMedia('(prefers-reduced-motion: reduce)').matches) return undefined;
    const timer = setInterval(() => setAt((known) => known + 1), STEP_MS);
    return () => clearInterval(timer);
  }, [held, pictures.length]);

  return (
    <div
      className={classes.carousel}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      data-testid="carousel"
    >
      <img src={pictures[current]} alt={t('session:login.picture', { number: current + 1 })} />
      {pictures.length < 2 ? null : (
        <div className={classes.dots}>
          {pictures.map((picture, index) => (
            <button
              type="button"
              key={picture}
              aria-label={t('session:login.picture', { number: index + 1 })}
              aria-current={index === current}
              onClick={() => setAt(index)}
            />
          ))}
        </div>
      )}
    </div>
  );
}
