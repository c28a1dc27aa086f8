import { Button, Menu } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DraftNotice } from '@/blocks/deployment/DraftNotice';
import { DataTable } from '@/components/table/DataTable';
import { showError, showSuccess } from '@/components/notices';
import { showUndo } from '@/components/undo';
import { useTab } from '@/lib/tab';
import { deleteForwarder, deviceTargetsQuery, draftQuery, forwardersQuery, saveForwarder } from '../api';
import type { SavedTarget } from '../api';
import { Rejects } from '../components/Rejects';
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
  isCopy: boolean;
  field?: string | undefined;
}

const rowId = ({ name }: Target): string => name;

/** The targets that a gateway forwards to beside the cloud: edited in its draft; what each took and refused, and why. */
export default function ForwardingTab(): ReactElement {
  const { t } = useTranslation();
  const words = useWords();
  const cache = useQueryClient();
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
      ? { kind: String(named.kind), fields: named, was: String(named.name), base, isCopy: false, field: search.field }
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
  const onSaved = ({ faults }: SavedTarget): void => {
    void refresh();
    if (faults?.length === 0) showSuccess(t('forwarding:target.saved'));
    else if (faults === null) showSuccess(t('forwarding:target.unchecked'));
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
        await saveForwarder(deviceId, { was: null, base: null }, fields);
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
    if (action === 'edit') setBegun({ kind, fields, was: String(fields.name), base, isCopy: false });
    else if (action === 'copy') setBegun({ kind, fields: copy, was: null, base: null, isCopy: true });
    else if (action === 'enable') changing.mutate(fields);
    else removing.mutate(fields);
  };
  const columns = useDeviceTargetColumns(deviceId, hindrance, act);
  return (
    <>
      <div className={classes.bar}>
        <h2>{t('forwarding:title')}</h2>
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
                    isCopy: false,
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
      {draft === null ? null : <DraftNotice deviceId={deviceId} hash={draft.hash} />}
      <DataTable
        name="targets"
        label={t('forwarding:title')}
        columns={columns}
        rows={targets}
        rowId={rowId}
        query={edited.data === undefined ? edited : query}
        empty={{ title: t('forwarding:none'), text: t('forwarding:noneHere') }}
      />
      {reported.length === 0 ? null : <Rejects ledgers={reported} deviceId={deviceId} />}
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
