import { Modal, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ranked } from '@/lib/palette';
import classes from './palette.module.css';
import { useChoices } from './useChoices';
import type { Command } from './useChoices';

/** Every screen and action of the user by a few letters: type, arrows, Enter. */
export default function Palette({ onClose }: { onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  return (
    <Modal opened onClose={onClose} withCloseButton={false} padding={0} size="lg" yOffset="12vh" centered={false}
      transitionProps={{ duration: 0 }} aria-label={t('base:palette.title')}>
      <Search onDone={onClose} />
    </Modal>
  );
}

function Search({ onDone }: { onDone: () => void }): ReactElement {
  const { t } = useTranslation();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const found = ranked(useChoices(), query) as Command[];
  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    onDone();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      setAt((at + step + found.length) % found.length);
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) run(found[at]);
  };
  return (
    <>
      <TextInput
        data-autofocus
        size="md"
        variant="unstyled"
        className={classes.input}
        leftSection={<IconSearch size={18} stroke={1.6} />}
        placeholder={t('base:palette.placeholder')}
        aria-label={t('base:palette.placeholder')}
        role="combobox"
        aria-expanded
        aria-controls="palette-choices"
        aria-activedescendant={found.length > 0 ? `palette-${at}` : undefined}
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        data-testid="palette-input"
      />
      <div role="listbox" id="palette-choices" aria-label={t('base:palette.title')} className={classes.choices}>
        {found.map((command, index) => (
          <button
            type="button"
            key={command.id}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            className={classes.choice}
            onMouseMove={() => setAt(index)}
            onClick={() => run(command)}
          >
            {command.icon === undefined ? <i aria-hidden /> : <command.icon size={16} stroke={1.6} aria-hidden />}
            <b>{command.title}</b>
            <span>{command.group}</span>
          </button>
        ))}
      </div>
      {found.length === 0 ? <p className={classes.none}>{t('base:palette.none')}</p> : null}
    </>
  );
}
