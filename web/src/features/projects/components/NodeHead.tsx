import { Button, Group } from '@mantine/core';
import { IconPencil, IconPlus, IconRefresh, IconSend, IconTrash } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import page from '@/components/page.module.css';
import { PermButton } from '@/components/permission';
import { usePhone } from '@/components/table/usePhone';
import { ToneText } from '@/components/Tone';
import type { ProjectNode } from '../api';
import { wayOf } from '../projectTree';
import classes from '../projects.module.css';

interface Props {
  node: ProjectNode;
  nodes: readonly ProjectNode[];
  onAdd: () => void;
  onEdit: () => void;
  onRemove: () => void;
  onCampaign: (kind: 'deploy' | 'reboot') => void;
}

/** What a node is, how its gateways are, and what can be done with it. */
export function NodeHead({ node, nodes, onAdd, onEdit, onRemove, onCampaign }: Props): ReactElement {
  const { t } = useTranslation();
  const size = usePhone() ? 'sm' : 'compact-sm';
  const why = node.devices === 0 ? t('projects:why.noDevices') : '';
  return (
    <div className={`${page.panel} ${classes.head}`} data-testid="node-head">
      {node.parent_id === null ? null : <p className={classes.way}>{wayOf(nodes, node.parent_id)}</p>}
      <h2>{node.title}</h2>
      <div className={classes.facts}>
        <span>{t(`projects:kind.${node.kind}`)}</span>
        <span>{t('projects:count.devices', { count: node.devices })}</span>
        {node.devices === 0 ? null : (
          <ToneText tone={node.online === 0 ? 'off' : 'ok'}>
            {t('projects:count.online', { count: node.online })}
          </ToneText>
        )}
        {node.alarm === 0 ? null : <ToneText tone="bad">{t('projects:count.alarm', { count: node.alarm })}</ToneText>}
        {node.silent === 0 ? null : (
          <ToneText tone="warn">{t('projects:count.silent', { count: node.silent })}</ToneText>
        )}
        <span>{t('projects:ownedBy', { name: node.owner_name || t('projects:platform') })}</span>
      </div>
      {node.remark === '' ? null : <p className={classes.way}>{node.remark}</p>}
      <Group gap="xs" mt="xs">
        <PermButton
          asks="DeviceManage"
          size={size}
          leftSection={<IconSend size={15} />}
          why={why}
          onClick={() => onCampaign('deploy')}
          data-testid="node-deploy"
        >
          {t('projects:action.deploy')}
        </PermButton>
        <PermButton
          asks="DeviceManage"
          size={size}
          variant="default"
          leftSection={<IconRefresh size={15} />}
          why={why}
          onClick={() => onCampaign('reboot')}
          data-testid="node-reboot"
        >
          {t('projects:action.reboot')}
        </PermButton>
        {node.kind === 'group' ? (
          <Button
            size={size}
            variant="default"
            leftSection={<IconPlus size={15} />}
            onClick={onAdd}
            data-testid="node-add"
          >
            {t('projects:action.addBelow')}
          </Button>
        ) : null}
        <Button
          size={size}
          variant="default"
          leftSection={<IconPencil size={15} />}
          onClick={onEdit}
          data-testid="node-edit"
        >
          {t('projects:action.edit')}
        </Button>
        <Button
          size={size}
          variant="outline"
          color="red"
          leftSection={<IconTrash size={15} />}
          onClick={onRemove}
          data-testid="node-remove"
        >
          {t('projects:action.remove')}
        </Button>
      </Group>
    </div>
  );
}
