import { Button, Collapse } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DraftNotice } from '@/blocks/deployment/DraftNotice';
import { FieldChange } from '@/blocks/deployment/FieldChange';
import type { GatewayParameters } from '../api';
import type { Group } from '../model/schema';
import { useWords } from '../useWords';

interface Props {
  deviceId: number;
  /** Name of the draft. */
  hash: string;
  changes: NonNullable<GatewayParameters['undeployed']>;
  groups: readonly Group[];
}

/** What is in the draft and not at the gateway: parameters by field, and the way to deploy all of it. */
export function Undeployed({ deviceId, hash, changes, groups }: Props): ReactElement {
  const { t } = useTranslation();
  const words = useWords();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div data-testid="undeployed">
      <DraftNotice deviceId={deviceId} hash={hash} />
      <Button
        variant="subtle"
        size="compact-sm"
        disabled={changes.length === 0}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        mb="xs"
        data-testid="undeployed-show"
      >
        {t('parameters:draft.changes', { count: changes.length })}
      </Button>
      <Collapse expanded={isOpen}>
        {changes.map(({ field, before, after }) => (
          <FieldChange key={field} field={field} words={words.change(groups, field)} before={before} after={after} />
        ))}
      </Collapse>
    </div>
  );
}
