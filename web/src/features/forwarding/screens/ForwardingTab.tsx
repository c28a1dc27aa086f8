import { Button, Menu, Switch } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DraftNotice } from '@/blocks/deployment/DraftNotice';
import { useTabDevice } from '@/blocks/devices/useTabDevice';
import { DataTable } from '@/components/table/DataTable';
import { usePhone } from '@/components/table/usePhone';
import { showError } from '@/components/notices';
import { showUndo } from '@/components/undo';
import { useGo } from '@/lib/navigation';
import { useTab } from '@/lib/tab';
import { deleteForwarder, deviceTargetsQuery, draftQuery, forwardersQuery, saveForwarder } from '../api';
import type { SavedTarget } from '../api';
import { Failures } from '../components/Failures';
import { showSaved } from '../components/savedToast';
import type { Action } from '../components/TargetActions';
import { useDeviceTargetColumns } from '../components/useTargetColumns';
import { formOf, KINDS } from '../model/form';
import type { Row } from '../model/form';
import { freeName, joined } from '../model/targets';
import type { Target } from '../model/targets';
import { useWords } from '../useWords';
import classes from '../forwarding.module.css';

/** The form, with every kind's fields, is loaded when it is first wanted. */
const TargetDrawer = lazy(() => import('../components/TargetDrawer'));

interface Opened {
  kind: string;
  fields: Row;
  was: string | null;
  base: string | null;
  like?: string | undefined;
  field?: string | undefined;
}

const rowId = ({ name }: Target): string => name;

/** The targets that a gateway forwards to beside the cloud: edited in its draft; what each took and refused, and why. */
export default function ForwardingTab(): ReactElement {
  const { t } = useTranslation();
  const words = useWords();
  const cache = useQueryClient();
  const go = useGo();
  const phone = usePhone();
  const { link } = useTabDevice();
  const { search, setSearch } = useTab();
  const deviceId = Number(search.device_id);
  const query = useQuery(deviceTargetsQuery(deviceId));
  const edited = useQuery(forwardersQuery(deviceId));
  const draft = useQuery(draftQuery(deviceId)).data?.draft ?? null;
  const [begun, setBegun] = useState<Opened | null>(null);
  const reported = query.data ?? [];
  const rows = edited.data?.rows ?? [];
  const base = edited.data?.base ?? null;
  // Without the draft it is not known which of those that were reported it still has.
  const targets = edited.data === undefined ? [] : joined(rows, reported);
  const names = targets.map(({ name }) => name);
  const isChangeable = edited.data?.changeable === true;
  const hindrance = isChangeable ? '' : t('base:perm.missing');
  const named = rows.find(({ fields }) => fields.name === search.target)?.fields;
  const isKnown = named !== undefined && formOf(String(named.kind)) !== undefined;
  const addressed: Opened | null =
    isKnown && isChangeable
      ? { kind: String(named.kind), fields: named, was: String(named.name), base, field: search.field }
      : null;
  const opened = begun ?? addressed;
  const refresh = async (): Promise<void> => {
    void cache.invalidateQueries({ queryKey: ['configuration', deviceId] });
    await cache.invalidateQueries({ queryKey: ['forwarders', deviceId] });
  };
  const failed = (error: Error): void => {
    showError(error);
    void refresh(); // somebody else may have been faster
  };
  const close = (): void => {
    setBegun(null);
    if (search.target !== undefined) setSearch({ target: undefined, field: undefined });
  };
  const onSaved = ({ base: hash, faults }: SavedTarget): void => {
    void refresh();
    if (faults !== null && faults.length > 0) return;
    const words = t(faults === null ? 'forwarding:target.unchecked' : 'forwarding:target.saved');
    const deploy = (): void => go('/deviceDetail/index', { device_id: deviceId, tab: 'configuration', deploy: hash });
    showSaved(words, deploy);
  };
  const changing = useMutation({
    mutationFn: (fields: Row) =>
      saveForwarder(deviceId, { was: String(fields.name), base }, { ...fields, enable: fields.enable === false }),
    onSuccess: refresh,
    onError: failed,
  });
  const removing = useMutation({
    mutationFn: (fields: Row) => deleteForwarder(deviceId, String(fields.name), base),
    onError: failed,
    onSuccess: (_done, fields) => {
      const undo = async (): Promise<void> => {
        // What is masked is taken from the version that had it.
        await saveForwarder(deviceId, { was: null, base, like: String(fields.name) }, fields);
        await refresh();
      };
      showUndo(t('forwarding:target.removed', { name: fields.name }), undo, t('forwarding:target.restored'));
      return refresh();
    },
  });
  const act = (action: Action, fields: Row): void => {
    if (changing.isPending || removing.isPending) return; // the rows are about to be others
    const kind = String(fields.kind);
    const copy = { ...fields, name: freeName(String(fields.name), names) };
    if (action === 'edit') setBegun({ kind, fields, was: String(fields.name), base });
    else if (action === 'copy') setBegun({ kind, fields: copy, was: null, base, like: String(fields.name) });
    else if (action === 'enable') changing.mutate(fields);
    else removing.mutate(fields);
  };
  const [isAll, setAll] = useState(false);
  const columns = useDeviceTargetColumns(deviceId, link.online, hindrance, act);
  const shown = search.shown;
  const rowData = useCallback(({ name }: Target) => ({ 'data-shown': String(name === shown) }), [shown]);
  const ledgers = useRef<HTMLDivElement>(null);
  const isThere = names.includes(shown ?? '');
  useEffect(() => {
    if (isThere) ledgers.current?.querySelector('[data-shown="true"]')?.scrollIntoView?.({ block: 'nearest' });
  }, [isThere, shown]);
  const dropped = targets.filter(({ fields, waiting_batches }) => fields === null && waiting_batches > 0);
  return (
    <>
      <div className={classes.bar}>
        <h2>{t('forwarding:title')}</h2>
        {phone ? null : (
          <Switch
            size="sm"
            label={t('forwarding:allFigures')}
            checked={isAll}
            onChange={(event) => setAll(event.currentTarget.checked)}
            data-testid="all-figures"
          />
        )}
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <Button
              size="sm"
              leftSection={<IconPlus size={16} />}
              disabled={!isChangeable}
              title={hindrance || undefined}
              data-testid="target-add"
            >
              {t('forwarding:target.add')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {KINDS.map((kind) => (
              <Menu.Item
                key={kind}
                onClick={() =>
                  setBegun({
                    kind,
                    fields: { name: freeName(kind, names), kind },
                    was: null,
                    base: null,
                  })
                }
                data-testid={`target-add-${kind}`}
              >
                {words(formOf(kind)?.title ?? { zh: kind, en: kind })}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      </div>
      {draft === null ? null : (
        <DraftNotice
          deviceId={deviceId}
          hash={draft.hash}
          cost={
            dropped.length === 0 ? '' : t('forwarding:drops', { names: dropped.map(({ name }) => name).join(', ') })
          }
        />
      )}
      <div ref={ledgers} className={classes.ledgers}>
        <DataTable
          name="targets"
          label={t('forwarding:title')}
          columns={isAll ? columns.map((column) => ({ ...column, hidden: false })) : columns}
          rows={targets}
          rowId={rowId}
          rowData={rowData}
          query={edited.data === undefined ? edited : query}
          empty={{ title: t('forwarding:none'), text: t('forwarding:noneHere') }}
        />
      </div>
      {reported.length === 0 ? null : <Failures ledgers={reported} deviceId={deviceId} />}
      {opened === null ? null : (
        <Suspense fallback={null}>
          <TargetDrawer
            key={`${opened.kind}/${opened.was ?? ''}/${opened.field ?? ''}`}
            deviceId={deviceId}
            {...opened}
            onSaved={onSaved}
            onClose={close}
          />
        </Suspense>
      )}
    </>
  );
}
