import { ActionIcon, Alert, Badge, Button, Group, Menu, SegmentedControl, Text } from '@mantine/core';
import {
  IconArrowDown,
  IconArrowUp,
  IconCopy,
  IconDeviceFloppy,
  IconDots,
  IconDownload,
  IconFolderSymlink,
  IconPencil,
  IconSend,
  IconTableExport,
  IconTableImport,
  IconTrash,
} from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PageSkeleton } from '@/components/PageSkeleton';
import { PermButton } from '@/components/permission';
import { useConfirm } from '@/components/useConfirm';
import { useTab } from '@/lib/tab';
import type { TemplateRow } from '../api';
import { useEdits } from '../model/edits';
import { protocolWord } from '@/blocks/templates/protocolWord';
import { placeBeside } from '../model/tree';
import classes from '../templates.module.css';
import type { useNodeActions } from './useNodeActions';

const GatewayContent = lazy(() => import('./GatewayContent'));
const PointContent = lazy(() => import('./PointContent'));
const Usage = lazy(() => import('./Usage'));
const Versions = lazy(() => import('./Versions'));

interface Props {
  node: TemplateRow;
  rows: readonly TemplateRow[];
  actions: ReturnType<typeof useNodeActions>;
}

const VIEWS = ['content', 'versions', 'usage'] as const;

/** A node: what can be done with it, and of a template its content, versions and use. */
export function TemplateDetail({ node, rows, actions }: Props): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const view = VIEWS.find((each) => each === search.view) ?? 'content';
  const requested = Number(search.version);
  const number = requested > 0 && requested <= node.newest ? requested : node.newest;
  const isTemplate = node.kind === 'template';
  const isDirty = useEdits(({ byTemplate }) => byTemplate[node.template_id] !== undefined);
  const [round, setRound] = useState(0);
  const [ask, question] = useConfirm();
  const show = async (version: number): Promise<void> => {
    if (version !== number) {
      const words = {
        title: t('base:form.discardTitle'),
        text: t('base:form.discardText'),
        confirm: t('base:form.discard'),
        danger: true,
      };
      if (isDirty && !(await ask(words))) return;
      useEdits.getState().end(node.template_id);
      setRound((known) => known + 1);
    }
    setSearch({ view: undefined, version: version === node.newest ? undefined : version });
  };
  const Content = node.category === 'point' ? PointContent : GatewayContent;
  return (
    <>
      <div className={classes.bar}>
        <h2 data-testid="template-title">{node.title}</h2>
        {node.shared ? <Badge variant="light">{t('templates:field.shared')}</Badge> : null}
        {isTemplate ? (
          <Button
            size="compact-sm"
            leftSection={<IconSend size={14} aria-hidden />}
            onClick={() => actions.apply(node, number)}
            data-testid="template-apply"
          >
            {t('templates:apply.open')}
          </Button>
        ) : null}
        {isTemplate ? (
          <PermButton
            asks="DeviceManage"
            size="compact-sm"
            variant="default"
            leftSection={<IconDeviceFloppy size={14} aria-hidden />}
            onClick={() => actions.put(node, number)}
            data-testid="template-put"
          >
            {t(`templates:put.open.${node.category}`)}
          </PermButton>
        ) : null}
        <NodeMenu node={node} rows={rows} actions={actions} number={number} isDirty={isDirty} />
      </div>
      <Text size="sm" c="dimmed" px="sm" pb="xs">
        {[
          node.protocol === '' ? '' : protocolWord(node.protocol),
          t('templates:ownedBy', { name: node.owner }),
          node.writes ? '' : t('templates:readOnly'),
          node.remark,
        ]
          .filter(Boolean)
          .join(' · ')}
      </Text>
      {isTemplate ? (
        <>
          <Group px="sm" pb="xs">
            <SegmentedControl
              size="xs"
              value={view}
              onChange={(next) => setSearch({ view: next === 'content' ? undefined : next })}
              data={VIEWS.map((value) => ({ value, label: t(`templates:view.${value}`) }))}
              aria-label={t('templates:view.label')}
              data-testid="template-view"
            />
          </Group>
          {view === 'content' && number !== node.newest && !isDirty ? (
            <Alert className={classes.notice} color="yellow" data-testid="template-old">
              {t('templates:oldVersion', { version: number, newest: node.newest })}{' '}
              <Button size="compact-xs" variant="subtle" onClick={() => void show(node.newest)}>
                {t('templates:showNewest')}
              </Button>
            </Alert>
          ) : null}
          <div hidden={view !== 'content'}>
            <Suspense fallback={<PageSkeleton />}>
              <Content key={round} node={node} number={number} />
            </Suspense>
          </div>
          <Suspense fallback={<PageSkeleton />}>
            {view === 'versions' ? <Versions node={node} onShow={(version) => void show(version)} /> : null}
            {view === 'usage' ? <Usage node={node} /> : null}
          </Suspense>
        </>
      ) : (
        <Text size="sm" p="sm">
          {t('templates:groupHint')}
        </Text>
      )}
      {question}
    </>
  );
}

function NodeMenu({
  node,
  rows,
  actions,
  number,
  isDirty,
}: Props & { number: number; isDirty: boolean }): ReactElement {
  const { t } = useTranslation();
  const up = placeBeside(rows, node.template_id, -1);
  const down = placeBeside(rows, node.template_id, 1);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" aria-label={t('templates:field.actions')} data-testid="template-menu">
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconPencil size={14} />}
          disabled={!node.writes}
          onClick={() => actions.edit(node)}
          data-testid="template-edit"
        >
          {t('templates:action.edit')}
        </Menu.Item>
        {node.kind === 'template' ? (
          <>
            <Menu.Item
              leftSection={<IconCopy size={14} />}
              onClick={() => actions.copy(node)}
              data-testid="template-copy"
            >
              {t('templates:action.copy')}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconDownload size={14} />}
              onClick={() => actions.download(node)}
              data-testid="template-export"
            >
              {t('templates:action.export')}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconTableExport size={14} />}
              onClick={() => actions.downloadSheets(node, number)}
              data-testid="template-export-sheets"
            >
              {t('templates:action.exportSheets')}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconTableImport size={14} />}
              disabled={!node.writes || isDirty}
              onClick={() => actions.takeSheets(node)}
              data-testid="template-import-sheets"
            >
              {t('templates:action.importSheets')}
            </Menu.Item>
          </>
        ) : null}
        <Menu.Item
          leftSection={<IconFolderSymlink size={14} />}
          disabled={!node.writes}
          onClick={() => actions.move(node)}
          data-testid="template-move"
        >
          {t('templates:action.move')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconArrowUp size={14} />}
          disabled={!node.writes || up === null}
          onClick={() => actions.place(node.template_id, node.parent_id, up ?? 0)}
        >
          {t('templates:action.up')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconArrowDown size={14} />}
          disabled={!node.writes || down === null}
          onClick={() => actions.place(node.template_id, node.parent_id, down ?? 0)}
        >
          {t('templates:action.down')}
        </Menu.Item>
        <Menu.Item
          color="red"
          leftSection={<IconTrash size={14} />}
          disabled={!node.writes}
          onClick={() => actions.remove(node)}
          data-testid="template-delete"
        >
          {t('templates:action.delete')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
