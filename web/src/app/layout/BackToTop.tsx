import { ActionIcon, Affix } from '@mantine/core';
import { useWindowScroll } from '@mantine/hooks';
import { IconArrowUp } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

/** Offered after this much scrolling. */
const AFTER_PX = 300;

export function BackToTop(): ReactElement | null {
  const { t } = useTranslation();
  const [{ y }] = useWindowScroll();
  if (y <= AFTER_PX) return null;
  return (
    <Affix position={{ bottom: 20, right: 20 }} zIndex={150}>
      <ActionIcon
        size="xl"
        variant="default"
        aria-label={t('base:backToTop')}
        onClick={() => window.scrollTo({ top: 0, behavior: 'smooth' })}
      >
        <IconArrowUp size={20} />
      </ActionIcon>
    </Affix>
  );
}
