import { SegmentedControl, Select, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '@/components/form/FormDrawer';
import { useApiForm } from '@/components/form/useApiForm';
import { showSuccess } from '@/components/notices';
import { addProject, changeProject, moveProject, PROJECTS } from '../api';
import type { ProjectNode } from '../api';
import { subtree, wayOf } from '../projectTree';

export interface Editing {
  /** null: a new one. */
  node: ProjectNode | null;
  parent: number | null;
  kind: 'project' | 'group';
}

interface Props {
  editing: Editing;
  nodes: readonly ProjectNode[];
  onClose: () => void;
  onSaved: (node: ProjectNode) => void;
}

type Draft = { kind: string; title: string; parent_id: string; remark: string };

/** A new node, or what one is called and where it stands. */
export default function NodeForm({ editing, nodes, onClose, onSaved }: Props): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const { node } = editing;
  const parentOf = (id: number | null): string => (id === null ? '' : String(id));
  const before = parentOf(node === null ? editing.parent : node.parent_id);
  const place = useRef(before);
  const form = useApiForm<Draft, ProjectNode>({
    values: {
      kind: node?.kind ?? editing.kind,
      title: node?.title ?? '',
      parent_id: before,
      remark: node?.remark ?? '',
    },
    validate: { title: (title) => (title.trim() === '' ? t('projects:rule.title') : null) },
    save: async ({ kind, title: typed, parent_id, remark }) => {
      const title = typed.trim();
      const parent = parent_id === '' ? null : Number(parent_id);
      if (node === null)
        return addProject({ kind: kind === 'group' ? 'group' : 'project', title, parent_id: parent, remark });
      const isMoved = parent_id !== place.current;
      if (isMoved) await moveProject(node.id, { parent_id: parent });
      place.current = parent_id;
      try {
        return await changeProject(node.id, { title, remark });
      } catch (error) {
        if (isMoved) {
          // It stands elsewhere by now, whatever it is called.
          void cache.invalidateQueries({ queryKey: PROJECTS });
          form.fields.resetDirty({ kind, title: node.title, parent_id, remark: node.remark });
        }
        throw error;
      }
    },
    onSaved: (saved) => {
      void cache.invalidateQueries({ queryKey: PROJECTS });
      showSuccess(t(`base:form.done.${node === null ? 'create' : 'edit'}`));
      onSaved(saved);
      onClose();
    },
  });
  const inside = node === null ? new Set<number>() : subtree(nodes, node.id);
  const groups = nodes.filter(({ id, kind }) => kind === 'group' && !inside.has(id));
  const { fields } = form;
  return (
    <FormDrawer title={t(node === null ? 'projects:action.add' : 'projects:action.edit')} form={form} onClose={onClose}>
      {node === null ? (
        <SegmentedControl
          data={(['project', 'group'] as const).map((value) => ({ value, label: t(`projects:kind.${value}`) }))}
          value={fields.getValues().kind}
          onChange={(kind) => fields.setFieldValue('kind', kind)}
          aria-label={t('projects:field.kind')}
          data-testid="node-kind"
        />
      ) : null}
      <TextInput
        label={t('projects:field.title')}
        description={t(`projects:hint.${fields.getValues().kind === 'group' ? 'group' : 'project'}`)}
        required
        maxLength={100}
        data-autofocus
        data-testid="node-title"
        {...fields.getInputProps('title')}
      />
      <Select
        label={t('projects:field.parent')}
        data={[
          { value: '', label: t('projects:top') },
          ...groups.map(({ id }) => ({ value: String(id), label: wayOf(nodes, id) })),
        ]}
        allowDeselect={false}
        searchable={groups.length > 10}
        data-testid="node-parent"
        {...fields.getInputProps('parent_id')}
      />
      <Textarea
        label={t('projects:field.remark')}
        autosize
        minRows={2}
        maxLength={500}
        {...fields.getInputProps('remark')}
      />
    </FormDrawer>
  );
}
