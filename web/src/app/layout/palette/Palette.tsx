import { Loader, Modal, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useId, useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { usePhone } from '@/components/table/usePhone';
import { marked } from '@/lib/palette';
import classes from './palette.module.css';
import type { Command, CommandGroup } from './useGroups';
import { useGroups } from './useGroups';

/** Every thing, screen and action of the user by a few letters: type, arrows, Enter. */
export default function Palette({ onClose }: { onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const phone = usePhone();
  return (
    <Modal.Root opened onClose={onClose} size="lg" yOffset="10vh" fullScreen={phone} transitionProps={{ duration: 0 }}>
      <Modal.Overlay />
      <Modal.Content aria-label={t('base:palette.title')}>
        <Modal.Body p={0}>
          <Search onDone={onClose} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function Search({ onDone }: { onDone: () => void }): ReactElement {
  const { t } = useTranslation();
  const phone = usePhone();
  const list = useId();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const { groups, isWaiting, failed } = useGroups(query);
  const flat = groups.flatMap(({ commands }) => commands);
  const active = Math.min(at, Math.max(0, flat.length - 1));
  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    onDone();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const end = event.ctrlKey ? { Home: 0, End: flat.length - 1 }[event.key] : undefined;
    if (event.key === 'Enter') run(flat[active]);
    else if (flat.length > 0 && step !== undefined) setAt((active + step + flat.length) % flat.length);
    else if (flat.length > 0 && end !== undefined) setAt(end);
    else return;
    event.preventDefault();
  };
  const nothing = flat.length === 0 && !isWaiting;
  return (
    <>
      <div className={classes.head}>
        <TextInput
          data-autofocus
          size="md"
          variant="unstyled"
          className={classes.input}
          leftSection={<IconSearch size={18} stroke={1.6} />}
          rightSection={isWaiting ? <Loader size={16} aria-hidden /> : null}
          placeholder={t('base:palette.placeholder')}
          aria-label={t('base:palette.placeholder')}
          role="combobox"
          aria-expanded={flat.length > 0}
          aria-haspopup="listbox"
          aria-autocomplete="list"
          aria-controls={flat.length > 0 ? list : undefined}
          aria-activedescendant={flat.length > 0 ? `${list}-${active}` : undefined}
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="go"
          value={query}
          onChange={(event) => {
            setQuery(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
          data-testid="palette-input"
        />
        <Modal.CloseButton aria-label={t('base:action.close')} size={phone ? 44 : 30} data-testid="palette-close" />
      </div>
      {flat.length === 0 ? null : (
        <div role="listbox" id={list} aria-label={t('base:palette.title')} className={classes.choices}>
          {groups.map((group) => (
            <Group
              key={group.id}
              group={group}
              list={list}
              query={query}
              first={flat.indexOf(group.commands[0] as Command)}
              active={active}
              onPoint={setAt}
              onRun={run}
            />
          ))}
        </div>
      )}
      <p className={nothing || failed ? classes.none : 'visually-hidden'} role="status" data-testid="palette-status">
        {failed
          ? t('base:palette.failed')
          : isWaiting
            ? t('base:palette.searching')
            : nothing
              ? t('base:palette.none')
              : t('base:palette.count', { count: flat.length })}
      </p>
      {phone ? null : <p className={classes.hint}>{t('base:palette.hint')}</p>}
    </>
  );
}

interface GroupProps {
  group: CommandGroup;
  list: string;
  query: string;
  /** Place of the group's first entry in the whole list. */
  first: number;
  active: number;
  onPoint: (at: number) => void;
  onRun: (command: Command) => void;
}

function Group({ group, list, query, first, active, onPoint, onRun }: GroupProps): ReactElement {
  const { t } = useTranslation();
  return (
    <div role="group" aria-label={group.title} data-testid={`palette-${group.id}`}>
      <div className={classes.group} aria-hidden>
        {group.title}
        {group.more ? <span>{t('base:palette.more')}</span> : null}
      </div>
      {group.commands.map((command, index) => {
        const place = first + index;
        return (
          <div
            key={command.id}
            id={`${list}-${place}`}
            role="option"
            tabIndex={-1}
            aria-selected={place === active}
            className={classes.choice}
            ref={(node) => {
              if (place === active) node?.scrollIntoView({ block: 'nearest' });
            }}
            onMouseMove={() => onPoint(place)}
            onClick={() => onRun(command)}
            onKeyDown={() => undefined}
          >
            {command.icon === undefined ? <i aria-hidden /> : <command.icon size={16} stroke={1.6} aria-hidden />}
            <b>
              <Marked text={command.title} query={query} />
            </b>
            <span>
              <Marked text={command.detail} query={query} />
            </span>
          </div>
        );
      })}
    </div>
  );
}

function Marked({ text, query }: { text: string; query: string }): ReactElement {
  return (
    <>
      {marked(text, query).map(({ text: part, hit }, index) =>
        // Parts have no other name than their place.
        // oxlint-disable-next-line react/no-array-index-key
        hit ? <mark key={index}>{part}</mark> : part,
      )}
    </>
  );
}
