import { Button } from '@mantine/core';
import { IconFileDownload } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { isNotFound } from '@/api/errors';
import { datedName, saveBlob } from '@/components/clipboard';
import { DeviceGone } from '@/blocks/devices/DeviceGone';
import { Empty } from '@/components/Empty';
import { PageSkeleton } from '@/components/PageSkeleton';
import page from '@/components/page.module.css';
import { Trouble } from '@/components/Trouble';
import { useHindrance } from '@/blocks/devices/useHindrance';
import { deviceTitle } from '@/lib/deviceTitle';
import type { Titled } from '@/lib/deviceTitle';
import { useTab } from '@/lib/tab';
import { deviceQuery, exportSlaves, portsQuery, protocolsQuery, slavesQuery } from '../api';
import type { Ports, ProtocolForm, Slaves } from '../api';
import type { Opened } from '../components/PlaceForm';
import { PlacePanel } from '../components/PlacePanel';
import { SlaveTree } from '../components/SlaveTree';
import type { Place, TreeAction } from '../components/SlaveTree';
import { DraftState } from '../components/DraftState';
import { usePlaceActions } from '../components/usePlaceActions';
import { moveEdit } from '../model/edits';
import classes from '../points.module.css';

const PlaceForm = lazy(() => import('../components/PlaceForm'));
const ScriptDrawer = lazy(() => import('../components/ScriptDrawer'));

/** Somebody else may delete the gateway meanwhile. */
const LOOK_EVERY_MS = 30_000;

/** Ports, slave devices and data points of a gateway. */
export default function PointEditor(): ReactElement {
  const { t } = useTranslation();
  const { search } = useTab();
  const id = Number(search.device_id);
  if (!Number.isInteger(id) || id < 1) {
    return (
      <section className={page.panel}>
        <Empty title={t('points:none.title')} text={t('points:none.text')} />
      </section>
    );
  }
  return <Loaded key={id} id={id} />;
}

function Loaded({ id }: { id: number }): ReactElement {
  const device = useQuery({ ...deviceQuery(id), refetchInterval: LOOK_EVERY_MS });
  const ports = useQuery(portsQuery(id));
  const slaves = useQuery(slavesQuery(id));
  const protocols = useQuery(protocolsQuery);
  if (isNotFound(device.error)) return <DeviceGone />;
  const failed = [device, ports, slaves, protocols].find(({ error, data }) => error !== null && data === undefined);
  if (failed !== undefined) return <Trouble error={failed.error} onRetry={() => void failed.refetch()} />;
  if (
    device.data === undefined ||
    ports.data === undefined ||
    slaves.data === undefined ||
    protocols.data === undefined
  )
    return <PageSkeleton />;
  return <Editor device={device.data} ports={ports.data} slaves={slaves.data} protocols={protocols.data} />;
}

interface EditorProps {
  device: Parameters<typeof useHindrance>[1] & Titled & { id: number; gateway_id: string };
  ports: Ports;
  slaves: Slaves;
  protocols: readonly ProtocolForm[];
}

function Editor({ device, ports, slaves, protocols }: EditorProps): ReactElement {
  const { t, i18n } = useTranslation();
  const { search, setSearch, setDetail } = useTab();
  const cache = useQueryClient();
  const hindrance = useHindrance('DeviceManage', device);
  const [opened, setOpened] = useState<Opened | null>(null);
  const [hasScripts, setHasScripts] = useState(false);
  const place = placeIn(search, ports, slaves);
  const title = deviceTitle(device);
  useEffect(() => {
    setDetail(title);
    // A tab's title is set once per name; setDetail changes with every step of the address.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [title]);
  const renew = (): void => {
    void cache.invalidateQueries({ queryKey: ['points', device.id] });
    void cache.invalidateQueries({ queryKey: ['configuration', device.id] });
  };
  const go = (next: Place | null): void =>
    setSearch({
      slave: next?.kind === 'slave' ? next.name : undefined,
      port: next?.kind === 'port' ? next.name : undefined,
    });
  const [act, dialog] = usePlaceActions({ deviceId: device.id, ports, slaves, onDone: renew, onGone: () => go(null) });
  const onAction = (action: TreeAction): void => {
    if (action === 'addPort') setOpened({ kind: 'port', was: null });
    else if (action === 'addSlave') setOpened({ kind: 'slave', was: null, port: portOf(place, slaves) });
    else if (place === null) return;
    else if (action === 'edit') setOpened({ kind: place.kind, was: place.name });
    else if (action === 'copy') setOpened({ kind: 'slave', was: null, copyOf: place.name });
    else act(action, place);
  };
  const exporting = useMutation({
    mutationFn: () => exportSlaves(device.id, i18n.language.startsWith('zh') ? 'zh' : 'en'),
    onSuccess: (blob) => saveBlob(datedName(device.gateway_id, 'xlsx'), blob),
  });
  return (
    <section className={page.panel} data-testid="point-editor">
      <div className={page.bar}>
        <h1>{t('points:heading', { title })}</h1>
        <DraftState deviceId={device.id} />
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconFileDownload size={14} aria-hidden />}
          disabled={slaves.rows.length === 0}
          loading={exporting.isPending}
          onClick={() => exporting.mutate()}
          data-testid="slaves-export"
        >
          {t('points:export')}
        </Button>
        <Button
          variant="default"
          size="compact-sm"
          disabled={slaves.rows.length === 0}
          onClick={() => setHasScripts(true)}
          data-testid="slaves-scripts"
        >
          {t('points:script.open')}
        </Button>
      </div>
      <div className={classes.halves}>
        <div className={classes.tree}>
          <SlaveTree
            deviceId={device.id}
            title={title}
            ports={ports}
            slaves={slaves}
            place={place}
            onPlace={go}
            onAction={onAction}
            hindrance={hindrance}
          />
        </div>
        <PlacePanel
          deviceId={device.id}
          place={place}
          ports={ports}
          slaves={slaves}
          protocols={protocols}
          hindrance={hindrance}
          onPlace={go}
          onAction={onAction}
        />
      </div>
      {hasScripts ? (
        <Suspense fallback={null}>
          <ScriptDrawer
            deviceId={device.id}
            slaves={slaves.rows.map(({ fields }) => String(fields.name))}
            hindrance={hindrance}
            onClose={() => setHasScripts(false)}
          />
        </Suspense>
      ) : null}
      {opened === null ? null : (
        <Suspense fallback={null}>
          <PlaceForm
            deviceId={device.id}
            opened={opened}
            ports={ports}
            slaves={slaves}
            protocols={protocols}
            onClose={() => setOpened(null)}
            onSaved={(saved) => {
              if (opened.kind === 'slave' && opened.was !== null) moveEdit(device.id, opened.was, saved.name);
              setOpened(null);
              renew();
              go(saved);
            }}
          />
        </Suspense>
      )}
      {dialog}
    </section>
  );
}

/** The place in the address, while there is such a one. */
function placeIn(search: Record<string, string>, ports: Ports, slaves: Slaves): Place | null {
  const { slave, port } = search;
  if (slave !== undefined && slaves.rows.some(({ fields }) => fields.name === slave))
    return { kind: 'slave', name: slave };
  if (port !== undefined && ports.rows.some(({ fields }) => fields.name === port)) return { kind: 'port', name: port };
  return null;
}

/** The port on which a new slave is proposed: the chosen one, or that of the chosen slave. */
function portOf(place: Place | null, slaves: Slaves): string | undefined {
  if (place?.kind === 'port') return place.name;
  const port = slaves.rows.find(({ fields }) => fields.name === place?.name)?.fields.port;
  return port === undefined ? undefined : String(port);
}
