import { IconExternalLink } from '@tabler/icons-react';
import type { MouseEvent, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Icon, Screen } from '@/lib/screens';
import classes from './layout.module.css';
import { useEntry } from './useEntry';

interface Props {
  screen: Screen;
  active: boolean;
  icon?: Icon;
  onFollow?: (() => void) | undefined;
}

/** An entry of the sidebar: what is only announced says so, what leads outside carries a mark. */
export function Entry({ screen, active, icon: Drawn, onFollow }: Props): ReactElement {
  const { t } = useTranslation();
  const link = useEntry(screen);
  const follow = (event: MouseEvent): void => {
    link.onClick?.(event);
    onFollow?.();
  };
  return (
    <a
      className={classes.item}
      href={link.href}
      target={link.target}
      rel={link.rel}
      onClick={follow}
      aria-current={active ? 'page' : undefined}
      data-pending={screen.pending === true || undefined}
      data-flat={Drawn !== undefined || undefined}
      title={screen.pending === true ? t('base:menu.pending') : undefined}
    >
      {Drawn === undefined ? null : <Drawn size={18} stroke={1.6} />}
      <span>{t(screen.titleKey)}</span>
      {screen.external === undefined ? null : (
        <IconExternalLink size={14} aria-label={t('base:menu.outside')} role="img" />
      )}
    </a>
  );
}
