import { ActionIcon, Group } from '@mantine/core';
import { IconCopy, IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Row } from '../model/form';

export type Action = 'edit' | 'copy' | 'enable' | 'delete';

interface Props {
  fields: Row;
  /** Why nothing can be changed, in words; '' when it can. */
  hindrance: string;
  /** Does this portal know the fields of the kind? */
  isKnown: boolean;
  onAction: (action: Action, fields: Row) => void;
}

/** What can be done with a target of the draft. */
export function TargetActions({ fields, hindrance, isKnown, onAction }: Props): ReactElement {
  const { t } = useTranslation();
  const isOff = fields.enable === false;
  const why = hindrance || (isKnown ? '' : t('forwarding:target.unknownKind'));
  const button = (action: Action, icon: ReactElement, word: string, reason: string): ReactElement => (
    <ActionIcon
      variant="subtle"
      size="md"
      aria-label={t(word, { name: fields.name })}
      title={reason || t(word, { name: fields.name })}
      disabled={reason !== ''}
      onClick={() => onAction(action, fields)}
      data-testid={`target-${action}`}
    >
      {icon}
    </ActionIcon>
  );
  return (
    <Group gap={2} wrap="nowrap">
      {button('edit', <IconPencil size={16} />, 'forwarding:action.edit', why)}
      {button('copy', <IconCopy size={16} />, 'forwarding:action.copy', why)}
      {button(
        'enable',
        isOff ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />,
        isOff ? 'forwarding:action.enable' : 'forwarding:action.disable',
        hindrance,
      )}
      {button('delete', <IconTrash size={16} />, 'forwarding:action.delete', hindrance)}
    </Group>
  );
}
