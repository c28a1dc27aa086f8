import { Button } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { CopyText } from '@/components/CopyText';
import { useServerNow } from '@/components/useNow';
import { formatDateTime } from '@/lib/time';
import { addressOf } from '../addresses';
import { closePort } from '../api';
import type { PortSession } from '../api';
import { bytesText, endpoint, leftText, reachable } from '../ports';
import classes from '../remote.module.css';

/** A port that is lent: to whom, where to connect, and how long it stays. */
export function OpenSession({
  deviceId,
  session,
  hindrance,
}: {
  deviceId: number;
  session: PortSession;
  hindrance: string;
}): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const now = useServerNow(1000);
  const address = addressOf(session.lease);
  const close = useMutation({
    mutationFn: () => closePort(deviceId, session.lease),
    onSettled: () => void cache.invalidateQueries({ queryKey: ['leases', deviceId] }),
  });
  const bytes = session.bytes_to_gateway + session.bytes_from_gateway;
  return (
    <section
      className={classes.lease}
      aria-label={t('remote:vcom.leaseOf', { port: session.port })}
      data-testid="lease"
      data-lease={session.lease}
    >
      <div className={classes.leaseHead}>
        <strong>
          {session.port} · {session.mode === 'raw' ? t('remote:vcom.raw') : 'RFC 2217'}
        </strong>
        <Button
          variant="default"
          leftSection={<IconPlugConnectedX size={16} />}
          disabled={hindrance !== ''}
          title={hindrance || undefined}
          loading={close.isPending}
          onClick={() => close.mutate()}
          data-testid="close-port"
        >
          {t('remote:close')}
        </Button>
      </div>
      {address === null ? (
        <p className={classes.hint}>{t('remote:vcom.addressElsewhere')}</p>
      ) : (
        <>
          <div className={classes.address}>
            <CopyText
              text={endpoint(reachable(address.host, window.location.hostname), address.port)}
              testId="lease-address"
            />
          </div>
          <How
            mode={session.mode}
            endpoint={endpoint(reachable(address.host, window.location.hostname), address.port)}
          />
        </>
      )}
      <dl className={classes.facts}>
        <div>
          <dt>{t('remote:fact.left')}</dt>
          <dd data-testid="lease-left">{leftText(session.expires_ms - now)}</dd>
        </div>
        <div>
          <dt>{t('remote:fact.user')}</dt>
          <dd>
            {session.user}
            <span className={classes.sub}>{session.address}</span>
          </dd>
        </div>
        <div>
          <dt>{t('remote:fact.since')}</dt>
          <dd>{formatDateTime(session.opened_ms)}</dd>
        </div>
        {bytes === 0 ? null : (
          <div>
            <dt>{t('remote:fact.bytes')}</dt>
            <dd>
              {t('remote:bytes', {
                to: bytesText(session.bytes_to_gateway),
                from: bytesText(session.bytes_from_gateway),
              })}
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}

/** How a program connects, in words. */
function How({ mode, endpoint: where }: { mode: string; endpoint: string }): ReactElement {
  const { t } = useTranslation();
  const code = <code />;
  return (
    <ul className={classes.how}>
      <li>{t('remote:how.first')}</li>
      {mode === 'raw' ? (
        <>
          <li>
            <Trans i18nKey="remote:how.rawPython" values={{ url: `socket://${where}` }} components={{ code }} />
          </li>
          <li>
            <Trans i18nKey="remote:how.rawLinux" values={{ where }} components={{ code }} />
          </li>
        </>
      ) : (
        <>
          <li>
            <Trans i18nKey="remote:how.python" values={{ url: `rfc2217://${where}` }} components={{ code }} />
          </li>
          <li>{t('remote:how.windows')}</li>
        </>
      )}
      <li>{t('remote:how.end')}</li>
    </ul>
  );
}
