import { Drawer, Loader, SegmentedControl, Select, Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { findDevices } from '@/blocks/devices/devicePicker';
import { ToneText } from '@/components/Tone';
import { Trouble } from '@/components/Trouble';
import { AsyncPicker } from '@/components/AsyncPicker';
import type { Choice } from '@/components/AsyncPicker';
import { whyWords } from '@/blocks/access/whyWords';
import { permissionsQuery, whyQuery } from '../api';
import type { UserRow } from '../api';
import { wayOf } from '../permissionTree';
import classes from '../users.module.css';

/** Why somebody may, or may not, use a function or see a device. */
export default function WhyDrawer({ row, onClose }: { row: UserRow; onClose: () => void }): ReactElement {
  const { t, i18n } = useTranslation();
  const [about, setAbout] = useState('function');
  const [permission, setPermission] = useState<string | null>(null);
  const [device, setDevice] = useState<Choice | null>(null);
  const [writes, setWrites] = useState(false);
  const permissions = useQuery(permissionsQuery);
  const rows = permissions.data ?? [];
  const options = rows.map(({ code }) => ({ value: code, label: wayOf(rows, code, i18n.language) }));
  const isFunction = about === 'function';
  const question = isFunction
    ? { permission: permission ?? undefined }
    : { deviceId: device === null ? undefined : Number(device.value), writes };
  const isReady = isFunction ? permission !== null : device !== null;
  return (
    <Drawer opened onClose={onClose} title={t('users:why.title', { name: row.user_name })} data-testid="why-drawer">
      <Stack gap="md">
        <SegmentedControl
          fullWidth
          value={about}
          onChange={setAbout}
          aria-label={t('users:why.about')}
          data={[
            { value: 'function', label: t('users:why.function') },
            { value: 'device', label: t('users:why.device') },
          ]}
          data-testid="why-about"
        />
        {isFunction ? (
          <Select
            label={t('users:why.which')}
            placeholder={t('users:why.search')}
            data={options}
            value={permission}
            onChange={setPermission}
            searchable
            nothingFoundMessage={t('base:table.noMatch')}
            maxDropdownHeight={320}
            data-testid="why-permission"
          />
        ) : (
          <>
            <AsyncPicker
              label={t('users:why.device')}
              value={device}
              onChange={setDevice}
              load={findDevices}
              queryKey={['devices', 'pick']}
              testId="why-device"
            />
            <Switch
              label={t('users:why.writes')}
              checked={writes}
              onChange={(event) => setWrites(event.currentTarget.checked)}
            />
          </>
        )}
        {isReady ? (
          <Answer key={`${about}`} userId={row.user_id} {...question} />
        ) : (
          <Text size="sm" c="dimmed">
            {t('users:why.hint')}
          </Text>
        )}
      </Stack>
    </Drawer>
  );
}

function Answer(question: { userId: number; permission?: string; deviceId?: number; writes?: boolean }): ReactElement {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(whyQuery(question));
  if (error !== null) return <Trouble error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loader size="sm" />;
  const words = [...new Set(data.reasons.map(whyWords))];
  return (
    <div className={classes.answer} data-allowed={data.allowed} aria-live="polite" data-testid="why-answer">
      <ToneText tone={data.allowed ? 'ok' : 'bad'} strong>
        {data.allowed ? t('users:why.yes') : t('users:why.no')}
      </ToneText>
      <ul>
        {words.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  );
}
