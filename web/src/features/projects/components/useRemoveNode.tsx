import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '@/api/errors';
import { showError, showSuccess } from '@/components/notices';
import { useConfirmDelete } from '@/components/useConfirm';
import { deleteProject, DEVICES, PROJECTS } from '../api';
import type { ProjectNode } from '../api';
import { heirs, wayOf } from '../projectTree';

interface Pending {
  node: ProjectNode;
  counts: Readonly<Record<string, string | number>>;
  answer: (to: number | null) => void;
}

/** Delete a node after a question; when it holds something, ask where that goes. [remove, dialogs] */
export function useRemoveNode(nodes: readonly ProjectNode[]): [(node: ProjectNode) => Promise<boolean>, ReactElement] {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [ask, question] = useConfirmDelete();
  const [pending, setPending] = useState<Pending | null>(null);
  const refresh = useCallback(() => {
    void cache.invalidateQueries({ queryKey: PROJECTS });
    void cache.invalidateQueries({ queryKey: DEVICES });
    void cache.invalidateQueries({ queryKey: ['devices'] });
  }, [cache]);
  const remove = useCallback(
    async (node: ProjectNode): Promise<boolean> => {
      const isHeld = node.devices > 0 || nodes.some(({ parent_id }) => parent_id === node.id);
      if (!isHeld && !(await ask(node.title))) return false;
      const toHeir = (counts: Pending['counts']): Promise<number | null> =>
        new Promise<number | null>((answer) => setPending({ node, counts, answer })).finally(() => setPending(null));
      const done = await removed(node.id, toHeir);
      if (done) showSuccess(t('base:row.removed', { what: node.title }));
      refresh();
      return done;
    },
    [ask, nodes, refresh, t],
  );
  return [
    remove,
    <>
      {question}
      {pending === null ? null : <HeirDialog {...pending} nodes={nodes} />}
    </>,
  ];
}

/** Gone? heir: asked who takes what it holds. */
async function removed(id: number, heir: (counts: Pending['counts']) => Promise<number | null>): Promise<boolean> {
  try {
    await deleteProject(id);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) || error.facts.reason !== 'project.not_empty') {
      showError(error);
      return false;
    }
    const to = await heir(error.facts.args);
    if (to === null) return false;
    return deleteProject(id, to).then(
      () => true,
      (failure: unknown) => {
        showError(failure);
        return false;
      },
    );
  }
}

function HeirDialog({ node, counts, answer, nodes }: Pending & { nodes: readonly ProjectNode[] }): ReactElement {
  const { t } = useTranslation();
  const [to, setTo] = useState<string | null>(null);
  const nowhere = { value: '0', label: t(node.kind === 'group' ? 'projects:top' : 'projects:none') };
  return (
    <Modal
      opened
      onClose={() => answer(null)}
      title={t('projects:heir.title', { title: node.title })}
      data-testid="heir"
    >
      <Stack gap="md">
        <Text size="sm">
          {t(`projects:heir.${node.kind === 'group' ? 'group' : 'project'}`, {
            nodes: counts.nodes ?? 0,
            devices: counts.devices ?? 0,
          })}
        </Text>
        <Select
          label={t('projects:heir.to')}
          data={[nowhere, ...heirs(nodes, node).map(({ id }) => ({ value: String(id), label: wayOf(nodes, id) }))]}
          value={to}
          onChange={setTo}
          searchable
          required
          data-testid="heir-to"
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={() => answer(null)}>
            {t('base:action.cancel')}
          </Button>
          <Button color="red" disabled={to === null} onClick={() => answer(Number(to))} data-testid="heir-confirm">
            {t('projects:heir.confirm')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
