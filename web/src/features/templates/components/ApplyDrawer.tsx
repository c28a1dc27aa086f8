import { Drawer } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApplyPanel } from '@/blocks/templates/ApplyPanel';
import type { TemplateRow } from '../api';

interface Props {
  node: TemplateRow;
  version: number;
  onClose: () => void;
}

/** A version onto gateways: those that use it, chosen ones, or all of a project. */
export default function ApplyDrawer({ node, version, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={620}
      title={t('templates:apply.title', { title: node.title })}
      data-testid="apply-drawer"
    >
      <ApplyPanel node={node} version={version} onClose={onClose} />
    </Drawer>
  );
}
