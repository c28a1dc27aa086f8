import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorLog } from '@/lib/errorLog';
import { formatDateTime } from '@/lib/time';
import classes from './layout.module.css';

interface Props {
  opened: boolean;
  onClose: () => void;
}

export function ErrorLogDialog({ opened, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const { errors, dropped, clear } = useErrorLog();
  return (
    <Modal opened={opened} onClose={onClose} title={t('base:errorLog.title')} size="lg">
      <Stack gap="md">
        {errors.map((error) => (
          <div key={error.id}>
            <Text fw={600}>{error.message}</Text>
            <Text size="xs" c="dimmed" className="number">
              {formatDateTime(error.at_ms)} · {error.url} · {error.info}
            </Text>
            {error.stack === '' ? null : (
              <pre className={classes.stack} tabIndex={0}>
                {error.stack}
              </pre>
            )}
          </div>
        ))}
        {dropped > 0 ? <Text size="xs" c="dimmed">{t('base:errorLog.dropped', { count: dropped })}</Text> : null}
        <Group justify="flex-end">
          <Button
            variant="default"
            onClick={() => {
              clear();
              onClose();
            }}
          >
            {t('base:errorLog.clear')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
