import { Alert, Button, Drawer, Group, NumberInput, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { TrustMark } from '@/components/live/TrustMark';
import { useLiveValue } from '@/components/live/useLiveValue';
import { useTimeWords } from '@/components/live/useWords';
import { errorText } from '@/components/notices';
import type { LastValue, PointValue } from '@/lib/quality';
import { writePoint } from '../api';
import type { DataSource, DeviceDetail } from '../api';
import { brokenRule, entryOf } from '../command';
import classes from '../monitor.module.css';
import { CommandTimeline } from './CommandTimeline';
import { useFormat } from './LiveTable';

interface Props {
  source: DataSource | null;
  device: DeviceDetail;
  initial: LastValue | undefined;
  onClose: () => void;
}

/** Write one point and watch what becomes of it. */
export function CommandDrawer({ source, device, initial, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const phone = useMediaQuery('(max-width: 767px)', false, { getInitialValueInEffect: false });
  return (
    <Drawer
      opened={source !== null}
      onClose={onClose}
      position={phone ? 'bottom' : 'right'}
      size={phone ? '85%' : 400}
      title={t('monitor:command.title')}
      closeButtonProps={{ 'aria-label': t('base:action.close') }}
      data-testid="command-drawer"
    >
      {source === null ? null : <Write key={source.dsid} source={source} device={device} initial={initial} />}
    </Drawer>
  );
}

type Entered = PointValue | '';

function Write({ source, device, initial }: Omit<Props, 'source' | 'onClose'> & { source: DataSource }): ReactElement {
  const { t } = useTranslation();
  const [value, setValue] = useState<Entered>('');
  const send = useMutation({
    mutationFn: (wanted: PointValue) => writePoint(source.dsid, wanted),
    meta: { shownInPlace: true },
  });
  const broken = brokenRule(value, source);
  const isEntered = value !== '';
  return (
    <Stack gap="md">
      <Current source={source} device={device} initial={initial} />
      {device.link.online ? null : <Alert color="yellow">{t('monitor:command.gatewayOffline')}</Alert>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (broken === null) send.mutate(value as PointValue);
        }}
      >
        <Stack gap="sm">
          <ValueEntry
            source={source}
            value={value}
            onChange={setValue}
            error={isEntered && broken !== null ? t(broken.key, { limit: broken.limit }) : null}
          />
          {send.error === null ? null : (
            <Alert color="red" role="alert" data-testid="command-error">
              {errorText(send.error)}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button type="submit" disabled={broken !== null} loading={send.isPending} data-testid="command-submit">
              {t('monitor:command.send')}
            </Button>
          </Group>
        </Stack>
      </form>
      {send.data === undefined ? null : <CommandTimeline key={send.data.id} id={send.data.id} source={source} />}
    </Stack>
  );
}

function Current({ source, device, initial }: Omit<Props, 'source' | 'onClose'> & { source: DataSource }): ReactElement {
  const { t } = useTranslation();
  const { ago } = useTimeWords();
  const format = useFormat(source);
  const point = useMemo(() => ({ ...source, min: source.min ?? null, max: source.max ?? null }), [source]);
  const { valueRef, ageRef, trust } = useLiveValue({ point, initial, gatewayOnline: device.link.online, format, age: ago });
  return (
    <div>
      <Text fw={600} size="md">
        {source.ds_title}
      </Text>
      <Text size="xs" c="dimmed">
        {source.slave_title} · <span className={classes.mono}>{source.ds_name}</span>
      </Text>
      <Group gap="md" mt={10} align="baseline">
        <Text size="sm" c="dimmed">
          {t('monitor:command.current')}
        </Text>
        <span className={classes.readBack}>
          <span ref={valueRef} data-testid="command-current" /> {source.unit}
        </span>
        <TrustMark state={trust} />
        <span ref={ageRef} className={classes.hint} />
      </Group>
    </div>
  );
}

interface EntryProps {
  source: DataSource;
  value: Entered;
  onChange: (value: Entered) => void;
  error: string | null;
}

function ValueEntry({ source, value, onChange, error }: EntryProps): ReactElement {
  const { t } = useTranslation();
  const entry = entryOf(source);
  const label = t('monitor:command.newValue');
  const limits = limitsOf(source);
  if (entry.kind === 'switch') {
    const chosen = value === '' ? '' : value === entry.on ? 'on' : 'off';
    return (
      <div>
        <Text component="div" size="sm" fw={500} mb={4} id="command-value-label">
          {label}
        </Text>
        <SegmentedControl
          fullWidth
          aria-labelledby="command-value-label"
          value={chosen}
          onChange={(which) => onChange(which === 'on' ? entry.on : entry.off)}
          data={(['off', 'on'] as const).map((which) => ({ value: which, label: t(`base:value.${which}`) }))}
          data-testid="command-switch"
        />
      </div>
    );
  }
  if (entry.kind === 'text') {
    return (
      <TextInput
        label={label}
        value={typeof value === 'string' ? value : ''}
        onChange={(event) => onChange(event.currentTarget.value)}
        maxLength={200}
        data-autofocus
        data-testid="command-value"
      />
    );
  }
  return (
    <NumberInput
      label={label}
      description={limits === null ? undefined : t('monitor:command.limits', limits)}
      value={typeof value === 'number' ? value : ''}
      onChange={(next) => onChange(typeof next === 'number' ? next : '')}
      decimalScale={source.decimals ?? 6}
      allowDecimal={!entry.integer}
      clampBehavior="none"
      rightSection={<Text size="xs">{source.unit}</Text>}
      rightSectionWidth={56}
      hideControls
      error={error}
      inputMode="decimal"
      data-autofocus
      data-testid="command-value"
    />
  );
}

function limitsOf({ min, max, unit }: DataSource): { min: number | string; max: number | string; unit: string } | null {
  if ((min ?? null) === null && (max ?? null) === null) return null;
  return { min: min ?? '−∞', max: max ?? '+∞', unit };
}
