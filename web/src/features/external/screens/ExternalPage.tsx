import { Button } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import type { ComponentType, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { LinkName } from '@/lib/screens';
import { useSession } from '@/lib/session';
import classes from '../external.module.css';

/** The page behind an entry that leads out of the portal. */
export function externalPage(name: LinkName): ComponentType {
  return function ExternalPage(): ReactElement {
    const { t } = useTranslation();
    const address = useSession((state) => state.platform.links[name]);
    return (
      <section className={classes.page}>
        <IconExternalLink size={36} stroke={1.4} aria-hidden />
        <h1>{t(`external:${name}`)}</h1>
        {address === undefined ? (
          <p>{t('external:noAddress')}</p>
        ) : (
          <>
            <p>{t('external:leads', { host: new URL(address, window.location.origin).host })}</p>
            <Button
              component="a"
              href={address}
              target="_blank"
              rel="noopener noreferrer"
              leftSection={<IconExternalLink size={16} />}
            >
              {t('external:open')}
            </Button>
          </>
        )}
      </section>
    );
  };
}
