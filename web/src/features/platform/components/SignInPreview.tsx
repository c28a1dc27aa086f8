import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { BrandMark } from '@/components/BrandMark';
import { isOwnPicture } from '@/lib/brand';
import type { LooksDraft } from '../looks';
import classes from '../platform.module.css';

/** The sign-in page in small, as the draft would make it. */
export function SignInPreview({ draft }: { draft: LooksDraft }): ReactElement {
  const { t } = useTranslation();
  const title = draft.platform_title.trim() || t('base:product');
  const { logo, background, carousel } = draft;
  return (
    <figure className={classes.preview} data-testid="sign-in-preview">
      <figcaption>{t('platform:customize.preview')}</figcaption>
      <div className={classes.browser}>
        <span className={classes.browserTab}>{draft.browser_title.trim() || title}</span>
        <span className={classes.browserAddress}>{draft.domain || '…'}</span>
      </div>
      <div className={classes.page}>
        <div
          className={classes.side}
          style={isOwnPicture(background) ? { backgroundImage: `url("${background}")` } : undefined}
        >
          <div className={classes.brand}>
            {isOwnPicture(logo) ? <img src={logo} alt="" width={22} height={22} /> : <BrandMark size={22} />}
            <span data-testid="preview-title">{title}</span>
          </div>
          {carousel[0] !== undefined && isOwnPicture(carousel[0]) ? (
            <div className={classes.carousel}>
              <img src={carousel[0]} alt="" />
              <span className={classes.dots} aria-hidden>
                {carousel.map((url, at) => (
                  <i key={url} data-on={at === 0} />
                ))}
              </span>
            </div>
          ) : null}
        </div>
        <div className={classes.signIn}>
          <b>{t('platform:customize.signIn')}</b>
          <span>{title}</span>
          <i className={classes.input} aria-hidden />
          <i className={classes.input} aria-hidden />
          <i className={classes.button} aria-hidden />
          {draft.demo ? <span className={classes.demo}>{t('platform:customize.demo')}</span> : null}
          <small>
            <span>{draft.tkloc}</span>
            <span>{draft.icp}</span>
          </small>
        </div>
      </div>
    </figure>
  );
}
