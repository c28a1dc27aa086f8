import { Button, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/time';
import { configurationQuery, differenceQuery } from '../api';
import { totalOf } from '../difference';
import { Hash } from './Hash';
import { useView } from './useView';

interface Props {
  deviceId: number;
  /** The version that came between; null: no conflict. */
  newest: string | null;
  base: string | null;
  onClose: () => void;
  onKeep: () => void;
  onOver: (newest: string) => void;
}

/** Somebody else saved first, or the gateway runs what the draft cannot go onto. Nothing is lost: both are kept, and who edits decides which one the next draft is. */
export function ConflictDialog({ deviceId, newest, base, onClose, onKeep, onOver }: Props): ReactElement {
  const { t } = useTranslation();
  const { show } = useView();
  const fresh = useQuery({ ...configurationQuery(deviceId), enabled: newest !== null, staleTime: 0 });
  const other = fresh.data?.versions.find(({ hash }) => hash === newest);
  const between = useQuery({
    ...differenceQuery(deviceId, base ?? '', newest ?? '', 0),
    enabled: newest !== null && base !== null,
  });
  const isGateway = other !== undefined && other.author === '';
  const see = (): void => {
    onClose();
    show({ view: 'compare', from: base ?? undefined, to: newest ?? undefined });
  };
  return (
    <Modal
      opened={newest !== null}
      onClose={onClose}
      title={t(isGateway ? 'configuration:conflict.gatewayTitle' : 'configuration:conflict.title')}
      data-testid="conflict"
    >
      <Stack gap="md">
        <Text size="sm">
          {other === undefined
            ? t('configuration:conflict.somebody')
            : t(isGateway ? 'configuration:conflict.gateway' : 'configuration:conflict.who', {
                author: other.author,
                time: formatDateTime(other.created_ms),
              })}{' '}
          {newest === null ? null : <Hash hash={newest} />}
        </Text>
        <Text size="sm">
          {between.data === undefined ? null : `${t('configuration:conflict.size', { count: totalOf(between.data) })} `}
          {t('configuration:conflict.kept')}
        </Text>
        <Button variant="default" onClick={see} disabled={base === null} data-testid="conflict-see">
          {t('configuration:conflict.see')}
        </Button>
        <Button variant="default" onClick={onKeep}>
          {t('configuration:conflict.download')}
        </Button>
        <Button variant="default" onClick={() => newest !== null && onOver(newest)} data-testid="conflict-over">
          {t('configuration:conflict.over')}
        </Button>
        <Button onClick={onClose}>{t('configuration:conflict.goOn')}</Button>
      </Stack>
    </Modal>
  );
}
