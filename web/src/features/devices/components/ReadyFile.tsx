import { Alert, Button, Group, Loader } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { saveText } from '@/components/clipboard';
import { CopyButton, CopyText } from '@/components/CopyText';
import { SecretSteps } from '@/blocks/secret/Secret';
import { Trouble } from '@/components/Trouble';
import { brokerQuery } from '../api';
import classes from '../devices.module.css';
import { COMMANDS, FILE_NAME, gatewayToml } from '../gatewayFile';

/** Where the gateway connects to, its configuration as a file, and the commands that bring it on line. */
export function ReadyFile({
  gatewayId,
  title,
  isSecretVisible,
}: {
  gatewayId: string;
  title: string;
  isSecretVisible: boolean;
}): ReactElement {
  const { t } = useTranslation();
  const { data: broker, error, refetch } = useQuery(brokerQuery);
  if (error !== null) return <Trouble error={error} onRetry={() => void refetch()} />;
  if (broker === undefined) return <Loader size={20} />;
  const text = gatewayToml(gatewayId, title, broker.url, {
    head: t('devices:file.head'),
    secret: t('devices:file.secret'),
    ca: t('devices:file.ca'),
  });
  return (
    <section aria-label={t('devices:file.title')} style={{ marginTop: 16 }}>
      <h2 className={classes.label}>{t('devices:file.title')}</h2>
      <p className={classes.line}>
        <span>{t('devices:file.broker')}</span> <CopyText text={broker.url} testId="ready-broker" />
      </p>
      {broker.is_local || !broker.is_set ? (
        <Alert color={broker.is_local ? 'yellow' : 'gray'} my="xs" data-testid="ready-broker-hint">
          {t(`devices:file.${broker.is_local ? 'local' : 'unset'}`)}
        </Alert>
      ) : null}
      <pre className={classes.ready} tabIndex={0} data-testid="ready-file">
        {text}
      </pre>
      <Group gap="xs" mb="sm">
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconDownload size={15} aria-hidden />}
          onClick={() => saveText(FILE_NAME, 'application/toml', text)}
          data-testid="ready-download"
        >
          {t('devices:file.download', { name: FILE_NAME })}
        </Button>
        <CopyButton text={text} name={FILE_NAME} testId="ready-copy" />
      </Group>
      <p>{t(`devices:file.${isSecretVisible ? 'commands' : 'commandsWithout'}`)}</p>
      <ol className={classes.commands}>
        {COMMANDS.map((command) => (
          <li key={command}>
            <CopyText text={command} />
          </li>
        ))}
      </ol>
      <p>{t('devices:file.running')}</p>
      <SecretSteps />
    </section>
  );
}
