import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useCopied } from '@/components/useCopied';
import { useErrorLog } from '@/lib/errorLog';
import type { CapturedError } from '@/lib/errorLog';
import { formatDateTime } from '@/lib/time';
import classes from './layout.module.css';

/** What went wrong on this page: message, component and info, address, stack. */
export default function ErrorLogDialog({ onClose }: { onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const { errors, dropped, clear } = useErrorLog();
  return (
    <Modal opened onClose={onClose} title={t('base:errorLog.title')} size="lg">
      <Stack gap="md">
        {errors.map((error) => (
          <Entry key={error.id} error={error} />
        ))}
        {dropped > 0 ? (
          <Text size="xs" c="dimmed">
            {t('base:errorLog.dropped', { count: dropped })}
          </Text>
        ) : null}
        <Group justify="flex-end">
          <CopyButton errors={errors} />
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

function Entry({ error }: { error: CapturedError }): ReactElement {
  const { t } = useTranslation();
  return (
    <div data-testid="error-entry">
      <Text fw={600}>{error.message}</Text>
      <dl className={classes.errorFacts}>
        <dt>{t('base:errorLog.info')}</dt>
        <dd>{error.info}</dd>
        <dt>{t('base:errorLog.address')}</dt>
        <dd>{error.url}</dd>
        <dt>{t('base:errorLog.time')}</dt>
        <dd className="number">{formatDateTime(error.at_ms)}</dd>
      </dl>
      {error.stack === '' ? null : (
        <pre className={classes.stack} tabIndex={0} aria-label={t('base:errorLog.stack')}>
          {error.stack}
        </pre>
      )}
    </div>
  );
}

/** The whole log as text, for who reports a fault. */
function CopyButton({ errors }: { errors: readonly CapturedError[] }): ReactElement {
  const { t } = useTranslation();
  const { state, copy } = useCopied();
  return (
    <Button
      variant="default"
      leftSection={<IconCopy size={16} />}
      onClick={() => void copy(JSON.stringify(errors, null, 2))}
    >
      {state === 'ready' ? t('base:errorLog.copy') : t(`base:copy.${state}`)}
    </Button>
  );
}
