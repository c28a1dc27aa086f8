import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useScreenLink } from '@/lib/navigation';
import { Empty } from '@/components/Empty';
import page from '@/components/page.module.css';

/** In the place of a page about a device that is there no more, or not for its reader. */
export function DeviceGone(): ReactElement {
  const { t } = useTranslation();
  const start = useScreenLink('/');
  return (
    <section className={page.panel} role="alert" data-testid="device-gone">
      <Empty
        title={t('base:deviceGone.title')}
        text={t('base:deviceGone.text')}
        action={
          <Button component="a" variant="default" {...start} data-testid="device-gone-start">
            {t('base:deviceGone.start')}
          </Button>
        }
      />
    </section>
  );
}
