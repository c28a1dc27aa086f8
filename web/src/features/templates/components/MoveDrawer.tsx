import { Button, Drawer, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { showError } from '@/components/notices';
import { TreePanel } from '@/components/TreePanel';
import { moveTemplate } from '../api';
import type { TemplateRow } from '../api';
import { groupsFor, treeOf } from '../model/tree';

interface Props {
  node: TemplateRow;
  rows: readonly TemplateRow[];
  onClose: () => void;
  onMoved: () => void;
}

const TOP = 'top';

/** Put a node into another group. */
export default function MoveDrawer({ node, rows, onClose, onMoved }: Props): ReactElement {
  const { t } = useTranslation();
  const [target, setTarget] = useState(node.parent_id === null ? TOP : String(node.parent_id));
  const nodes = useMemo(
    () => [{ id: TOP, label: t('templates:top'), children: treeOf(groupsFor(rows, node.template_id), () => '') }],
    [rows, node.template_id, t],
  );
  const moving = useMutation({
    mutationFn: () => moveTemplate(node.template_id, target === TOP ? null : Number(target)),
    onError: showError,
    onSuccess: onMoved,
  });
  return (
    <Drawer opened onClose={onClose} position="right" title={t('templates:move.title', { title: node.title })}>
      <TreePanel
        label={t('templates:move.to')}
        nodes={nodes}
        opened="*"
        selected={target}
        onSelect={setTarget}
        search
        testId="move-tree"
      />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          {t('base:action.cancel')}
        </Button>
        <Button loading={moving.isPending} onClick={() => moving.mutate()} data-testid="move-go">
          {t('templates:move.go')}
        </Button>
      </Group>
    </Drawer>
  );
}
