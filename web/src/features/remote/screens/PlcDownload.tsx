import { List, SegmentedControl, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { findDevices } from '@/blocks/devices/devicePicker';
import { Empty } from '@/components/Empty';
import { Trouble } from '@/components/Trouble';
import { useHindrance } from '@/blocks/devices/useHindrance';
import { AsyncPicker } from '@/components/AsyncPicker';
import { deviceTitle } from '@/lib/deviceTitle';
import { useTab } from '@/lib/tab';
import { gatewayQuery, portSessionsQuery, portsQuery } from '../api';
import type { Gateway } from '../api';
import { OpenSession } from '../components/OpenSession';
import { OpenPort } from '../components/OpenPort';
import classes from '../remote.module.css';

const FAMILIES = ['ppi', 'fx', 's7', 'mc'] as const;
type Family = (typeof FAMILIES)[number];
const WANTS = { ppi: 'COM', fx: 'COM', s7: 'NET', mc: 'NET' } as const;
const STEPS = [1, 2, 3, 4] as const;

/** The way of a programming tool to a PLC behind a gateway: choose both, borrow the port, then four steps. */
export default function PlcDownload(): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const id = /^[1-9]\d{0,9}$/.test(search.device_id ?? '') ? Number(search.device_id) : null;
  const family = FAMILIES.find((each) => each === search.plc) ?? 'ppi';
  const { data: gateway, error, refetch } = useQuery({ ...gatewayQuery(id ?? 0), enabled: id !== null });
  const chosen =
    gateway === undefined || id === null ? null : { value: String(gateway.id), label: deviceTitle(gateway) };
  return (
    <section className={classes.page}>
      <h1>{t('remote:plc.title')}</h1>
      <Text size="sm" c="dimmed">
        {t('remote:plc.text')}
      </Text>
      <div className={classes.choices}>
        <AsyncPicker
          label={t('remote:list.gateway')}
          value={chosen}
          onChange={(next) => setSearch({ device_id: next?.value })}
          load={findDevices}
          queryKey={['device', 'pick']}
          clearable
          testId="plc-gateway"
        />
        <SegmentedControl
          value={family}
          onChange={(plc) => setSearch({ plc })}
          data={FAMILIES.map((value) => ({ value, label: t(`remote:plc.family.${value}`) }))}
          aria-label={t('remote:plc.familyLabel')}
          className={classes.families}
        />
      </div>
      <Steps family={family} />
      {error !== null && id !== null ? <Trouble error={error} onRetry={() => void refetch()} /> : null}
      {gateway === undefined || id === null ? (
        <Empty title={t('remote:plc.choose')} text={t('remote:plc.chooseText')} />
      ) : (
        <Lending key={`${id} ${WANTS[family]}`} gateway={gateway} wants={WANTS[family]} />
      )}
    </section>
  );
}

function Steps({ family }: { family: Family }): ReactElement {
  const { t } = useTranslation();
  return (
    <List type="ordered" size="sm" spacing={4} my="md">
      {STEPS.map((step) => (
        <List.Item key={step}>{t(`remote:plc.step.${family}.${step}`)}</List.Item>
      ))}
    </List>
  );
}

function Lending({ gateway, wants }: { gateway: Gateway; wants: 'COM' | 'NET' }): ReactElement {
  const hindrance = useHindrance('DeviceManage', gateway);
  const sessions = useQuery(portSessionsQuery(gateway.id));
  const ports = useQuery(portsQuery(gateway.id));
  const openSessions = (sessions.data ?? []).filter((session) => session.ended_ms === null);
  if (sessions.error !== null) return <Trouble error={sessions.error} onRetry={() => void sessions.refetch()} />;
  if (ports.isPending) return <></>;
  return (
    <>
      {openSessions.map((session) => (
        <OpenSession key={session.lease} deviceId={gateway.id} session={session} hindrance={hindrance} />
      ))}
      <OpenPort
        deviceId={gateway.id}
        online={gateway.link.online}
        ports={ports.data ?? null}
        openSessions={openSessions}
        wants={wants}
        hindrance={hindrance}
      />
    </>
  );
}
