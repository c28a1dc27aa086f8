import { Select, Switch, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '@/components/form/FormDrawer';
import { useApiForm } from '@/components/form/useApiForm';
import type { ApiForm } from '@/components/form/useApiForm';
import type { Choice } from '@/components/AsyncPicker';
import { changeTemplate, createTemplate, protocolsQuery, readyQuery } from '../api';
import type { Category, CreateTemplate, TemplateRow } from '../api';
import { protocolWord } from '@/blocks/templates/protocolWord';
import { groupsFor } from '../model/tree';
import { GatewayFields } from './GatewayFields';

interface Props {
  category: Category;
  kind: TemplateRow['kind'];
  /** null: a new node. */
  node: TemplateRow | null;
  rows: readonly TemplateRow[];
  /** The group that a new node is meant for. */
  parentId: number | null;
  onClose: () => void;
  onSaved: (row: TemplateRow) => void;
}

type Values = {
  title: string;
  remark: string;
  shared: boolean;
  parent: string;
  from: string;
  protocol: string;
  device: Choice | null;
  slave: string;
  link: boolean;
};

const EMPTY = 'empty';
const GATEWAY = 'gateway';

/** A group or template: made, or its words changed. */
export default function NodeDrawer({ category, kind, node, rows, parentId, onClose, onSaved }: Props): ReactElement {
  const { t, i18n } = useTranslation();
  const isPoint = category === 'point' && kind === 'template';
  const form = useApiForm<Values, TemplateRow>({
    values: {
      title: node?.title ?? '',
      remark: node?.remark ?? '',
      shared: node?.shared ?? false,
      parent: parentId === null ? '' : String(parentId),
      from: EMPTY,
      protocol: '',
      device: null,
      slave: '',
      link: false,
    },
    validate: {
      title: (title) => (title.trim() === '' ? t('templates:rule.title') : null),
      protocol: (protocol, { from }) =>
        node === null && isPoint && from === EMPTY && protocol === '' ? t('templates:rule.protocol') : null,
      device: (device, { from }) => (from === GATEWAY && device === null ? t('templates:rule.device') : null),
      slave: (slave, { from }) => (isPoint && from === GATEWAY && slave === '' ? t('templates:rule.slave') : null),
    },
    names: { parent_id: 'parent', 'source.slave': 'slave', 'source.device_id': 'device' },
    save: (values) =>
      node === null
        ? createTemplate(bodyOf(values, category, kind, i18n.language.startsWith('zh') ? 'zh' : 'en'))
        : changeTemplate(node.template_id, {
            title: values.title.trim(),
            remark: values.remark,
            shared: values.shared,
          }),
    onSaved,
  });
  const { fields } = form;
  const title = node === null ? t(`templates:new.${kind}`) : t(`templates:edit.${kind}`);
  return (
    <FormDrawer title={title} form={form} onClose={onClose}>
      <TextInput
        label={t('templates:field.title')}
        required
        maxLength={100}
        data-autofocus
        data-testid="node-title"
        {...fields.getInputProps('title')}
      />
      {node === null ? (
        <Select
          label={t('templates:field.parent')}
          data={[
            { value: '', label: t('templates:top') },
            ...groupsFor(rows, null).map((row) => ({ value: String(row.template_id), label: row.title })),
          ]}
          allowDeselect={false}
          data-testid="node-parent"
          {...fields.getInputProps('parent')}
        />
      ) : null}
      {node === null && kind === 'template' ? <SourceFields form={form} isPoint={isPoint} /> : null}
      <Textarea
        label={t('templates:field.remark')}
        autosize
        minRows={2}
        maxLength={500}
        {...fields.getInputProps('remark')}
      />
      <Switch
        label={t('templates:field.shared')}
        description={t(kind === 'group' ? 'templates:sharedGroupHint' : 'templates:sharedHint')}
        data-testid="node-shared"
        {...fields.getInputProps('shared', { type: 'checkbox' })}
      />
    </FormDrawer>
  );
}

/** What a new template begins with. */
function SourceFields({ form, isPoint }: { form: ApiForm<Values>; isPoint: boolean }): ReactElement {
  const { t, i18n } = useTranslation();
  const { fields } = form;
  const { from } = fields.getValues();
  const { data: ready } = useQuery({ ...readyQuery, enabled: isPoint });
  const { data: protocols } = useQuery({ ...protocolsQuery, enabled: isPoint });
  const zh = i18n.language.startsWith('zh');
  const sources = [
    { value: EMPTY, label: t('templates:from.empty') },
    ...(isPoint
      ? (ready ?? []).map((each) => ({
          value: each.name,
          label: t('templates:from.ready', { title: zh ? each.zh : each.en, count: each.points }),
        }))
      : []),
    { value: GATEWAY, label: t(isPoint ? 'templates:from.slave' : 'templates:from.gateway') },
  ];
  return (
    <>
      <Select
        label={t('templates:field.from')}
        data={sources}
        allowDeselect={false}
        data-testid="node-from"
        {...fields.getInputProps('from')}
      />
      {isPoint && from === EMPTY ? (
        <Select
          label={t('templates:field.protocol')}
          required
          searchable
          data={(protocols ?? []).map(({ name }) => ({ value: name, label: protocolWord(name) }))}
          data-testid="node-protocol"
          {...fields.getInputProps('protocol')}
        />
      ) : null}
      {from === GATEWAY ? (
        <>
          <GatewayFields form={form} withSlave={isPoint} />
          <Switch
            label={t('templates:field.link')}
            description={t('templates:linkHint')}
            {...fields.getInputProps('link', { type: 'checkbox' })}
          />
        </>
      ) : null}
    </>
  );
}

function bodyOf(values: Values, category: Category, kind: TemplateRow['kind'], language: 'zh' | 'en'): CreateTemplate {
  const { title, remark, shared, parent, from, protocol, device, slave, link } = values;
  const body: CreateTemplate = {
    category,
    kind,
    title: title.trim(),
    remark,
    shared,
    parent_id: parent === '' ? null : Number(parent),
  };
  if (kind === 'group') return body;
  if (from === EMPTY) return category === 'point' ? { ...body, protocol } : body;
  if (from === GATEWAY)
    return { ...body, source: { device_id: Number(device?.value), slave: category === 'point' ? slave : null, link } };
  return { ...body, source: { ready: from, language } };
}
