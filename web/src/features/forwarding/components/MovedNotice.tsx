import { Alert, Button, Group } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Row } from '../model/form';
import { differences } from '../model/moved';
import type { Difference, Moved } from '../model/moved';
import type { Values } from '../model/values';
import { useWords } from '../useWords';
import classes from '../forwarding.module.css';

interface Props {
  kind: string;
  moved: Moved;
  /** The target as this edit began, and what is entered now. */
  before: Row;
  mine: Values;
  /** Their changes come into the form, where nothing else was entered; or in place of all that was. */
  onTake: (theirs: Row, keepsMine: boolean) => void;
  /** It was removed: what is entered becomes a new target. */
  onAnew: () => void;
}

/** Somebody else saved the target first: what he changed, and what is to become of what is entered here. */
export function MovedNotice({ kind, moved, before, mine, onTake, onAnew }: Props): ReactElement {
  const { t } = useTranslation();
  const { author, theirs, changed } = moved;
  const who = author || t('forwarding:moved.somebody');
  return (
    <Alert color="yellow" role="alert" data-testid="target-moved">
      {t(theirs === null ? 'forwarding:moved.removed' : 'forwarding:moved.changed', { who })}
      {theirs === null ? null : (
        <ul className={classes.faults}>
          {differences(kind, before, theirs, mine, changed).map((each) => (
            <Line key={each.field.name} difference={each} />
          ))}
        </ul>
      )}
      <Group gap="xs" mt="xs">
        {theirs === null ? (
          <Button size="xs" onClick={onAnew} data-testid="moved-anew">
            {t('forwarding:moved.anew')}
          </Button>
        ) : (
          <>
            <Button size="xs" onClick={() => onTake(theirs, true)} data-testid="moved-merge">
              {t('forwarding:moved.merge')}
            </Button>
            <Button size="xs" variant="default" onClick={() => onTake(theirs, false)} data-testid="moved-theirs">
              {t('forwarding:moved.theirs')}
            </Button>
          </>
        )}
      </Group>
    </Alert>
  );
}

function Line({ difference }: { difference: Difference }): ReactElement {
  const { t } = useTranslation();
  const words = useWords();
  const { field, before, theirs, mine, isMineToo } = difference;
  const text = (value: unknown): string => {
    if (typeof value === 'boolean') return t(`forwarding:moved.${value ? 'on' : 'off'}`);
    return value === '' ? '–' : String(value);
  };
  const isPlain = field.secret !== true && [before, theirs, mine].every((value) => typeof value !== 'object');
  const own = isPlain ? t('forwarding:moved.mine', { value: text(mine) }) : t('forwarding:moved.mineToo');
  return (
    <li>
      {words(field)}
      {isPlain ? `: ${text(before)} → ${text(theirs)}` : ''}
      {isMineToo ? ` (${own})` : ''}
    </li>
  );
}
