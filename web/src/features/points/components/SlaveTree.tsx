import { ActionIcon, Badge, Group, Tooltip } from '@mantine/core';
import { IconCopy, IconPencil, IconPlugConnected, IconPlus, IconPower, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { TreePanel } from '@/components/TreePanel';
import { UnsavedDot } from '@/components/UnsavedDot';
import { useMay } from '@/lib/session';
import type { TreeNode } from '@/lib/tree';
import { linksQuery } from '../api';
import type { Ports, Slaves } from '../api';
import { useEdits } from '../model/edits';

/** What stands in the tree: a port or a slave. */
export interface Place {
  kind: 'port' | 'slave';
  name: string;
}

export type TreeAction = 'addPort' | 'addSlave' | 'edit' | 'copy' | 'enable' | 'delete';

interface Props {
  deviceId: number;
  title: string;
  ports: Ports;
  slaves: Slaves;
  place: Place | null;
  onPlace: (place: Place) => void;
  onAction: (action: TreeAction) => void;
  hindrance: string;
}

export const idOf = ({ kind, name }: Place): string => `${kind}:${name}`;

export function placeOf(id: string): Place | null {
  const [, kind, name] = /^(port|slave):(.+)$/.exec(id) ?? [];
  return kind === undefined || name === undefined ? null : { kind: kind as Place['kind'], name };
}

/** Gateway, its ports, and the slaves on them, with what can be done to each. */
export function SlaveTree({
  deviceId,
  title,
  ports,
  slaves,
  place,
  onPlace,
  onAction,
  hindrance,
}: Props): ReactElement {
  const { t } = useTranslation();
  const edits = useEdits(({ bySlave }) => bySlave);
  const nodes = useMemo(() => treeOf(title, ports, slaves), [title, ports, slaves]);
  const faulty = useMemo(
    () =>
      new Set([...ports.faults.map(({ name }) => `port:${name}`), ...slaves.faults.map(({ name }) => `slave:${name}`)]),
    [ports, slaves],
  );
  const off = useMemo(() => offOf(ports, slaves), [ports, slaves]);
  const links = useQuery({ ...linksQuery(deviceId), enabled: useMay('DeviceManage') }).data;
  const marks = ({ id }: TreeNode): ReactNode => {
    const edit = id.startsWith('slave:') ? edits[`${deviceId}/${id.slice('slave:'.length)}`] : undefined;
    const link = links?.find(({ slave }) => slave !== '' && id === `slave:${slave}`);
    return (
      <>
        {link === undefined ? null : (
          <Badge
            size="xs"
            variant="default"
            tt="none"
            style={{ flex: 'none' }}
            title={t('points:template.title', { title: link.title ?? t('points:template.hidden') })}
            data-testid="tree-template"
          >
            {`v${link.version}${link.newest !== null && link.version < link.newest ? '\u2191' : ''}`}
          </Badge>
        )}
        {off.has(id) ? (
          <Badge size="xs" color="gray" variant="light">
            {t('points:tree.off')}
          </Badge>
        ) : null}
        {faulty.has(id) ? (
          <Badge size="xs" color="red" variant="light" data-testid="tree-fault">
            {t('points:tree.fault')}
          </Badge>
        ) : null}
        {edit !== undefined && edit.rows !== edit.original ? <UnsavedDot words={t('points:tree.edited')} /> : null}
      </>
    );
  };
  const button = (action: TreeAction, icon: ReactElement, enabled = true): ReactElement => {
    const label = t(`points:tree.${action}`);
    return (
      <Tooltip label={hindrance || label}>
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={label}
          disabled={hindrance !== '' || !enabled}
          onClick={() => onAction(action)}
          data-testid={`tree-${action}`}
        >
          {icon}
        </ActionIcon>
      </Tooltip>
    );
  };
  const isSlave = place?.kind === 'slave';
  return (
    <>
      <Group gap={4} mb="xs" role="toolbar" aria-label={t('points:tree.tools')}>
        {button('addPort', <IconPlugConnected size={16} />)}
        {button('addSlave', <IconPlus size={16} />, ports.rows.length > 0)}
        {button('edit', <IconPencil size={16} />, place !== null)}
        {button('copy', <IconCopy size={16} />, isSlave)}
        {button('enable', <IconPower size={16} />, place !== null)}
        {button('delete', <IconTrash size={16} />, place !== null)}
      </Group>
      <TreePanel
        label={t('points:tree.label')}
        nodes={nodes}
        opened="*"
        key={nodes[0]?.children?.length ?? 0}
        selected={place === null ? null : idOf(place)}
        onSelect={(id) => {
          const chosen = placeOf(id);
          if (chosen !== null) onPlace(chosen);
        }}
        search={slaves.rows.length > 8}
        extra={marks}
        testId="slave-tree"
      />
    </>
  );
}

function treeOf(title: string, ports: Ports, slaves: Slaves): readonly TreeNode[] {
  const children = ports.rows.map(({ fields }): TreeNode => {
    const name = String(fields.name);
    const below = slaves.rows
      .filter((slave) => slave.fields.port === fields.name)
      .map((slave): TreeNode => {
        const own = String(slave.fields.name);
        const label = String(slave.fields.title ?? '') || own;
        return {
          id: `slave:${own}`,
          label,
          note: `${shortAddress(String(slave.fields.address ?? ''))}${slave.points}`,
        };
      });
    const where =
      fields.type === 'NET'
        ? `${String(fields.ip ?? '')}:${String(fields.port ?? 502)}`
        : (String(fields.device ?? '')
            .split('/')
            .at(-1) ?? '');
    return { id: `port:${name}`, label: name, note: where, children: below };
  });
  return [{ id: 'gateway', label: title, children }];
}

/** A meter's number is too long for the tree. */
function shortAddress(address: string): string {
  return address.length > 3 ? '' : `#${address}\u00A0·\u00A0`;
}

function offOf(ports: Ports, slaves: Slaves): Set<string> {
  return new Set([
    ...ports.rows.filter(({ fields }) => fields.enable === false).map(({ fields }) => `port:${String(fields.name)}`),
    ...slaves.rows.filter(({ fields }) => fields.enable === false).map(({ fields }) => `slave:${String(fields.name)}`),
  ]);
}
