import { Tree, useTree } from '@mantine/core';
import type { RenderTreeNodePayload, TreeDragDropPayload, TreeNodeData } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { KeyboardEvent, ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { matchingNodes, idsBelow, ticked, tickOf, withChildren } from '@/lib/tree';
import type { TreeNode } from '@/lib/tree';
import { SearchBox } from './SearchBox';
import classes from './tree.module.css';

/** A node that was dragged to another one. */
export interface TreeMove {
  id: string;
  target: string;
  position: 'before' | 'after' | 'inside';
}

interface Props {
  label: string;
  nodes: readonly TreeNode[];
  /** Ids that are open at first; '*' for all. */
  opened?: readonly string[] | '*';
  /** The chosen node; Enter, Space or a click choose. */
  selected?: string | null;
  onSelect?: (id: string) => void;
  /** Ticks beside the nodes: a tick takes those below and above along. */
  checked?: readonly string[];
  onCheck?: (ids: readonly string[]) => void;
  /** Children of a node that is 'lazy'; called once, again after a failure. */
  load?: (id: string) => Promise<readonly TreeNode[]>;
  search?: boolean;
  disabled?: boolean;
  /** Nodes can be dragged; while one is searched for they cannot. */
  onMove?: (move: TreeMove) => void;
  mayMove?: (move: TreeMove) => boolean;
  /** Before the name: what kind of node it is. */
  icon?: (node: TreeNode) => ReactNode;
  /** Further things at the end of a node's line. */
  extra?: (node: TreeNode) => ReactNode;
  testId?: string;
}

/** A tree to choose or tick in. Arrow keys move and open. */
export function TreePanel(props: Props): ReactElement {
  const {
    label,
    nodes: given,
    opened = [],
    selected = null,
    onSelect,
    checked,
    onCheck,
    load,
    search = false,
    disabled = false,
    onMove,
    mayMove,
    icon,
    extra,
    testId,
  } = props;
  const { t } = useTranslation();
  const [words, setWords] = useState('');
  const [loaded, setLoaded] = useState<ReadonlyMap<string, readonly TreeNode[]>>(new Map());
  const [open, setOpen] = useState<Record<string, boolean>>(() => opening(given, opened));
  const nodes = useMemo(
    () => [...loaded].reduce((sum, [id, children]) => withChildren(sum, id, children), given),
    [given, loaded],
  );
  const visible = useMemo(() => matchingNodes(nodes, words), [nodes, words]);
  const byId = useMemo(() => new Map(flat(nodes).map((node) => [node.id, node])), [nodes]);
  // The tree starts anew for other data: it must stay the same while nothing of it changes.
  const data = useMemo(() => dataOf(visible), [visible]);
  const ticks = useMemo(() => new Set(checked), [checked]);
  // What a search leaves is open whatever was open before.
  const expanded = useMemo(() => (words === '' ? open : opening(visible, '*')), [words, open, visible]);
  const tree = useTree({
    expandedState: expanded,
    onExpandedStateChange: (next) => words === '' && setOpen(next),
    selectedState: selected === null ? [] : [selected],
    onLoadChildren:
      load === undefined
        ? undefined
        : (id) => load(id).then((children) => setLoaded((known) => new Map(known).set(id, children))),
  });
  const tick = (id: string): void => onCheck?.([...ticked(nodes, ticks, id)]);
  const act = (id: string): void => {
    if (disabled) return;
    if (onCheck !== undefined) tick(id);
    else onSelect?.(id);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const id = (event.target as HTMLElement).dataset.value;
    if (id === undefined || (event.key !== ' ' && event.key !== 'Enter')) return;
    event.preventDefault();
    act(id);
  };
  const renderNode = (payload: RenderTreeNodePayload): ReactNode => {
    const node = byId.get(payload.node.value);
    if (node === undefined) return null;
    return (
      <Line
        payload={payload}
        node={node}
        tick={onCheck === undefined ? null : tickOf(node, ticks)}
        disabled={disabled}
        onAct={() => act(node.id)}
        failed={payload.loadError === null ? '' : t('base:tree.failed')}
        icon={icon?.(node)}
        extra={extra?.(node)}
      />
    );
  };
  return (
    <div className={classes.panel} data-testid={testId}>
      {search ? (
        <SearchBox
          label={t('base:tree.search')}
          value={words}
          onChange={(next) => setWords(next ?? '')}
          testId="tree-search"
          w="100%"
        />
      ) : null}
      {visible.length === 0 ? (
        <p className={classes.none}>{words === '' ? t('base:table.nothing') : t('base:table.noMatch')}</p>
      ) : null}
      <Tree
        data={data}
        tree={tree}
        renderNode={renderNode}
        expandOnClick={false}
        expandOnSpace={false}
        levelOffset={20}
        aria-label={label}
        aria-multiselectable={onCheck === undefined ? undefined : true}
        onKeyDown={onKeyDown}
        onDragDrop={onMove === undefined || words !== '' ? undefined : (payload) => onMove(moveOf(payload))}
        allowDrop={(payload) => mayMove?.(moveOf(payload)) ?? true}
      />
    </div>
  );
}

interface LineProps {
  payload: RenderTreeNodePayload;
  node: TreeNode;
  tick: 'all' | 'some' | 'none' | null;
  disabled: boolean;
  onAct: () => void;
  failed: string;
  icon: ReactNode;
  extra: ReactNode;
}

function Line({ payload, node, tick, disabled, onAct, failed, icon, extra }: LineProps): ReactElement {
  const { elementProps, hasChildren, expanded, tree } = payload;
  return (
    <div
      {...elementProps}
      role="presentation"
      className={`${elementProps.className} ${classes.line}`}
      onClick={(event) => {
        elementProps.onClick(event);
        onAct();
      }}
      data-testid="tree-node"
      data-id={node.id}
    >
      <span
        className={classes.arrow}
        data-open={expanded}
        data-leaf={!hasChildren}
        aria-hidden
        onClick={(event) => {
          event.stopPropagation();
          tree.toggleExpanded(node.id);
        }}
        data-testid="tree-toggle"
      >
        <IconChevronRight size={15} stroke={1.8} />
      </span>
      {tick === null ? null : (
        <input
          type="checkbox"
          tabIndex={-1}
          checked={tick !== 'none'}
          disabled={disabled}
          ref={(box) => {
            if (box !== null) box.indeterminate = tick === 'some';
          }}
          onChange={onAct}
          onClick={(event) => event.stopPropagation()}
          aria-label={node.label}
        />
      )}
      {icon === undefined ? null : (
        <span className={classes.icon} aria-hidden>
          {icon}
        </span>
      )}
      <span className={classes.label} title={node.label}>
        {node.label}
      </span>
      {node.note === undefined ? null : <span className={classes.note}>{node.note}</span>}
      {failed === '' ? null : <span className={classes.failed}>{failed}</span>}
      {extra}
    </div>
  );
}

function moveOf({ draggedNode, targetNode, position }: TreeDragDropPayload): TreeMove {
  return { id: draggedNode, target: targetNode, position };
}

function flat(nodes: readonly TreeNode[]): TreeNode[] {
  return nodes.flatMap((node) => [node, ...flat(node.children ?? [])]);
}

function opening(nodes: readonly TreeNode[], opened: readonly string[] | '*'): Record<string, boolean> {
  const ids = opened === '*' ? nodes.flatMap(idsBelow) : opened;
  return Object.fromEntries(ids.map((id) => [id, true]));
}

function dataOf(nodes: readonly TreeNode[]): TreeNodeData[] {
  return nodes.map((node) => ({
    value: node.id,
    label: node.label,
    children: node.children === undefined ? undefined : dataOf(node.children),
    hasChildren: node.lazy,
  }));
}
