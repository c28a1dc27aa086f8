import { Alert, Button, Group, Modal, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { QRCodeSVG } from 'qrcode.react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyText } from '@/components/CopyText';
import { Trouble } from '@/components/Trouble';
import { branded, useGatewayBrand } from '@/blocks/devices/useGatewayBrand';
import { deviceTitle } from '@/lib/deviceTitle';
import { bindCodeQuery } from '../api';
import type { DeviceRow } from '../api';
import { bindAddress } from '../bindCode';
import classes from '../devices.module.css';

const SIDE_PX = 220;

/** What scanning does to the gateway. project: '' when it is in none. */
function Outcome({ role, project }: { role: string; project: string }): ReactElement {
  const { t } = useTranslation();
  if (role !== 'owner') return <p data-testid="qr-outcome">{t('devices:qr.visitor')}</p>;
  return (
    <Alert color="yellow" data-testid="qr-outcome">
      {t('devices:qr.owner')}
      {project === '' ? null : <div>{t('devices:qr.leaves', { project })}</div>}
    </Alert>
  );
}

/** The QR code of a gateway: who scans it may look at the gateway. */
export default function QrDialog({ device, onClose }: { device: DeviceRow; onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(bindCodeQuery(device.id));
  const brand = useGatewayBrand();
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('devices:qr.title', { title: deviceTitle(device) })}
      data-testid="qr-dialog"
    >
      {error === null ? null : <Trouble error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null ? (
          <Skeleton h={SIDE_PX} />
        ) : null
      ) : (
        <div className={classes.qr}>
          <div className={classes.code}>
            <QRCodeSVG
              value={bindAddress(data.bind_code, window.location.origin)}
              size={SIDE_PX}
              title={t('devices:qr.title', { title: deviceTitle(device) })}
            />
          </div>
          <b data-testid="qr-label">{device.model.startsWith(brand) ? device.model : branded(brand, device.model)}</b>
          <span>{device.gateway_id}</span>
          <CopyText text={data.bind_code} testId="bind-code" />
          {data.scan_bind ? (
            <Outcome role={data.role} project={device.project_title ?? ''} />
          ) : (
            <Alert color="yellow">{t('devices:qr.off')}</Alert>
          )}
        </div>
      )}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={() => window.print()}>
          {t('devices:qr.print')}
        </Button>
      </Group>
    </Modal>
  );
}
