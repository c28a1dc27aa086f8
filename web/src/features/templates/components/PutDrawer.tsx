import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '@/components/form/FormDrawer';
import { useApiForm } from '@/components/form/useApiForm';
import { showSuccess } from '@/components/notices';
import type { Choice } from '@/components/AsyncPicker';
import { putTemplate } from '../api';
import type { TemplateRow } from '../api';
import { GatewayFields } from './GatewayFields';

interface Props {
  node: TemplateRow;
  version: number;
  onClose: () => void;
  onPut: () => void;
}

/** Put a template into a draft that does not use it yet. */
export default function PutDrawer({ node, version, onClose, onPut }: Props): ReactElement {
  const { t } = useTranslation();
  const isPoint = node.category === 'point';
  const form = useApiForm<{ device: Choice | null; slave: string }>({
    values: { device: null, slave: '' },
    validate: {
      device: (device) => (device === null ? t('templates:rule.device') : null),
      slave: (slave) => (isPoint && slave === '' ? t('templates:rule.slave') : null),
    },
    save: ({ device, slave }) => putTemplate(node, version, Number(device?.value), slave),
    onSaved: () => {
      showSuccess(t('templates:put.done'));
      onPut();
      onClose();
    },
  });
  return (
    <FormDrawer
      title={t('templates:put.title', { title: `${node.title} v${version}` })}
      form={form}
      onClose={onClose}
      save={t('templates:put.go')}
    >
      <Text size="sm">{t(`templates:put.about.${node.category}`)}</Text>
      <GatewayFields form={form} withSlave={isPoint} />
    </FormDrawer>
  );
}
