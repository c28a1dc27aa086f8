import { Button, SegmentedControl, Select, TextInput } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeWords } from '@/components/useTimeWords';
import { useSession } from '@/lib/session';
import { keepAddress } from '../addresses';
import { openPort } from '../api';
import type { PortSession } from '../api';
import { BAUDS, bodyOf, lineText } from '../ports';
import type { Line, Port, PortRequest } from '../ports';
import classes from '../remote.module.css';
import { Refused } from './Refused';

const IDLE_S = [60, 300, 600, 1_800, 3_600];
const LONGEST_S = [900, 3_600, 14_400, 28_800];
const DEFAULTS = { mode: 'rfc2217', idle_s: 600, longest_s: 3_600 } as const;
const PLAIN: Line = { baud: 9600, parity: 'N', data_bits: 8, stop_bits: 1 };
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

interface Props {
  deviceId: number;
  online: boolean;
  /** Null: not known, the name is typed. */
  ports: readonly Port[] | null;
  openSessions: readonly PortSession[];
  /** The kind that is chosen at first; none of them leaves the choice open. */
  wants?: Port['type'];
  /** Why it may not be opened; empty when it may. */
  hindrance: string;
}

/** Choose a port of the gateway and how it is lent. */
export function OpenPort({ deviceId, online, ports, openSessions, wants, hindrance }: Props): ReactElement {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  const cache = useQueryClient();
  const me = useSession((state) => state.user?.name);
  const free = ports?.find(
    ({ name, type }) => (wants === undefined || type === wants) && !openSessions.some(({ port }) => port === name),
  );
  const [request, setRequest] = useState<PortRequest>({
    ...DEFAULTS,
    port: free?.name ?? '',
    line: free?.line ?? PLAIN,
  });
  const change = (part: Partial<PortRequest>): void => setRequest((now) => ({ ...now, ...part }));
  const known = ports?.find(({ name }) => name === request.port);
  const mode = known?.type === 'NET' ? 'raw' : request.mode;
  const open = useMutation({
    mutationFn: () => openPort(deviceId, bodyOf({ ...request, mode }, known)),
    meta: { errorInPlace: true },
    onSuccess: ({ lease, host, port }) => keepAddress(lease, { host, port }),
    onSettled: () => void cache.invalidateQueries({ queryKey: ['leases', deviceId] }),
  });
  const times = (seconds: readonly number[]): { value: string; label: string }[] =>
    seconds.map((each) => ({ value: String(each), label: duration(each * 1000) }));
  const holder = openSessions.find(({ port }) => port === request.port)?.user;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (hindrance === '') open.mutate();
      }}
      data-testid="open-port-form"
    >
      <div className={classes.form}>
        {ports === null ? (
          <TextInput
            label={t('remote:vcom.port')}
            value={request.port}
            onChange={(event) => change({ port: event.currentTarget.value })}
            className={classes.wide}
            data-testid="vcom-port"
          />
        ) : (
          <Select
            label={t('remote:vcom.port')}
            data={ports.map((port) => ({
              value: port.name,
              label: `${port.name} · ${port.type === 'COM' ? lineText(port.line) : port.where}`,
            }))}
            value={request.port === '' ? null : request.port}
            onChange={(name) => {
              const port = ports.find((each) => each.name === name);
              if (port !== undefined) change({ port: port.name, line: port.line });
            }}
            allowDeselect={false}
            error={holder === undefined || holder === me ? null : t('remote:refusal.tunnel.held', { user: holder })}
            className={classes.wide}
            data-testid="vcom-port"
          />
        )}
        <Mode mode={mode} isSerial={known?.type !== 'NET'} onChange={(next) => change({ mode: next })} />
        {known?.type === 'NET' ? null : <LineFields line={request.line} onChange={(line) => change({ line })} />}
        <Select
          label={t('remote:vcom.idle')}
          data={times(IDLE_S)}
          value={String(request.idle_s)}
          onChange={(value) => value !== null && change({ idle_s: Number(value) })}
          allowDeselect={false}
        />
        <Select
          label={t('remote:vcom.longest')}
          data={times(LONGEST_S)}
          value={String(request.longest_s)}
          onChange={(value) => value !== null && change({ longest_s: Number(value) })}
          allowDeselect={false}
        />
      </div>
      <Refused error={open.error} />
      <Button
        type="submit"
        mt={14}
        leftSection={<IconPlugConnected size={16} />}
        loading={open.isPending}
        disabled={!online || !NAME.test(request.port) || holder !== undefined || hindrance !== ''}
        title={hindrance || undefined}
        data-testid="open-port"
      >
        {t('remote:vcom.open')}
      </Button>
    </form>
  );
}

/** RFC 2217 tells settings of a serial line: a network port has none. */
function Mode({
  mode,
  isSerial,
  onChange,
}: {
  mode: PortRequest['mode'];
  isSerial: boolean;
  onChange: (mode: PortRequest['mode']) => void;
}): ReactElement {
  const { t } = useTranslation();
  return (
    <div className={classes.wide}>
      <SegmentedControl
        value={mode}
        onChange={(next) => onChange(next as PortRequest['mode'])}
        data={[
          ...(isSerial ? [{ value: 'rfc2217', label: 'RFC 2217' }] : []),
          { value: 'raw', label: t('remote:vcom.raw') },
        ]}
        aria-label={t('remote:vcom.mode')}
        data-testid="vcom-mode"
      />
      <span className={classes.sub}>{t(isSerial ? `remote:vcom.modeHint.${mode}` : 'remote:vcom.modeHint.net')}</span>
    </div>
  );
}

function LineFields({ line, onChange }: { line: Line; onChange: (line: Line) => void }): ReactElement {
  const { t } = useTranslation();
  const bauds = BAUDS.includes(line.baud) ? BAUDS : [line.baud, ...BAUDS];
  return (
    <>
      <Select
        label={t('remote:vcom.baud')}
        data={bauds.map(String)}
        value={String(line.baud)}
        onChange={(value) => value !== null && onChange({ ...line, baud: Number(value) })}
        allowDeselect={false}
        data-testid="vcom-baud"
      />
      <Select
        label={t('remote:vcom.parity')}
        data={(['N', 'E', 'O'] as const).map((value) => ({ value, label: t(`remote:parity.${value}`) }))}
        value={line.parity}
        onChange={(value) => value !== null && onChange({ ...line, parity: value as Line['parity'] })}
        allowDeselect={false}
      />
      <Select
        label={t('remote:vcom.dataBits')}
        data={['7', '8']}
        value={String(line.data_bits)}
        onChange={(value) => onChange({ ...line, data_bits: value === '7' ? 7 : 8 })}
        allowDeselect={false}
      />
      <Select
        label={t('remote:vcom.stopBits')}
        data={['1', '2']}
        value={String(line.stop_bits)}
        onChange={(value) => onChange({ ...line, stop_bits: value === '2' ? 2 : 1 })}
        allowDeselect={false}
      />
    </>
  );
}
