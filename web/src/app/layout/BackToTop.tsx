import { ActionIcon, Affix } from '@mantine/core';
import { useWindowScroll } from '@mantine/hooks';
import { IconArrowUp } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { AFTER_PX, scrollToTop } from './toTop';

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
        onClick={scrollToTop}
        data-testid="back-to-top"
      >
        <IconArrowUp size={20} />
      </ActionIcon>
    </Affix>
  );
}
