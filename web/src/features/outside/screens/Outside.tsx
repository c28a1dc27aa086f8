import { Button } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import type { ComponentType, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { LinkName } from '@/lib/screens';
import { useSession } from '@/lib/session';
import classes from '../outside.module.css';

/** The page behind an entry that leads out of the portal. */
export function outside(name: LinkName): ComponentType {
  return function Outside(): ReactElement {
    const { t } = useTranslation();
    const address = useSession((state) => state.platform.links[name]);
    return (
      <section className={classes.outside}>
        <IconExternalLink size={36} stroke={1.4} aria-hidden />
        <h1>{t(`outside:${name}`)}</h1>
        {address === undefined ? (
          <p>{t('outside:noAddress')}</p>
        ) : (
          <>
            <p>{t('outside:leads', { host: new URL(address, window.location.origin).host })}</p>
            <Button
              component="a"
              href={address}
              target="_blank"
              rel="noopener noreferrer"
              leftSection={<IconExternalLink size={16} />}
            >
              {t('outside:open')}
            </Button>
          </>
        )}
      </section>
    );
  };
}
