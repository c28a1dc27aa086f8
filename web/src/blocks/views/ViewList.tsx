import { ActionIcon, Button, Skeleton, Text, TextInput, UnstyledButton } from '@mantine/core';
import { IconLink, IconPencil, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from '@/components/clipboard';
import { showNotice, showSuccess } from '@/components/notices';
import { Trouble } from '@/components/Trouble';
import { MAX_TITLE, MAX_VIEWS, renamed, saveViews, viewsQuery, withView } from './viewStore';
import type { SavedView, ViewsName } from './viewStore';
import classes from './views.module.css';

export interface Views {
  name: ViewsName;
  /** What the address shows now, as a view keeps it. */
  now: string;
  /** Address of the screen, for the link of a view. */
  path: string;
  onChoose: (query: string) => void;
  testId: string;
}

/** Views to choose, link to, rename and delete, and a line that keeps what is shown now. */
export default function ViewList({ name, now, path, onChoose, testId }: Views): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const query = viewsQuery(name);
  const { data: views, error, refetch } = useQuery(query);
  const [title, setTitle] = useState('');
  const [editing, setEditing] = useState<string | null>(null);
  const save = useMutation({
    mutationFn: (next: readonly SavedView[]) => saveViews(name, next),
    onMutate: async (next) => {
      await cache.cancelQueries({ queryKey: query.queryKey });
      cache.setQueryData(query.queryKey, next);
    },
    onError: () => cache.invalidateQueries({ queryKey: query.queryKey }),
  });
  // What is kept is kept as a whole: without it nothing may be added.
  if (views === undefined)
    return error === null ? <Skeleton h={80} w={260} /> : <Trouble error={error} onRetry={() => void refetch()} />;
  const wanted = title.trim();
  const isFull = views.length >= MAX_VIEWS && !views.some((view) => view.title === wanted);
  const share = async (view: SavedView): Promise<void> => {
    if (await copyText(`${window.location.origin}${path}?${view.query}`))
      showSuccess(t('base:views.linked', { title: view.title }));
    else showNotice(t('base:copy.failed'));
  };
  return (
    <>
      {views.map((view) =>
        editing === view.title ? (
          <Renaming
            key={view.title}
            title={view.title}
            testId={testId}
            onDone={(to) => {
              const next = renamed(views, view.title, to);
              if (next === null) return false;
              save.mutate(next);
              setEditing(null);
              return true;
            }}
            onCancel={() => setEditing(null)}
          />
        ) : (
          <div key={view.title} className={classes.view}>
            <UnstyledButton
              className={classes.title}
              onClick={() => onChoose(view.query)}
              aria-current={view.query === now || undefined}
              data-testid={testId}
            >
              {view.title}
            </UnstyledButton>
            <Act
              icon={IconLink}
              label={t('base:views.link', { title: view.title })}
              testId={`${testId}-link`}
              onClick={() => void share(view)}
            />
            <Act
              icon={IconPencil}
              label={t('base:views.rename', { title: view.title })}
              testId={`${testId}-rename`}
              onClick={() => setEditing(view.title)}
            />
            <Act
              icon={IconTrash}
              label={t('base:views.delete', { title: view.title })}
              testId={`${testId}-delete`}
              onClick={() => save.mutate(views.filter((each) => each !== view))}
            />
          </div>
        ),
      )}
      {views.length > 0 ? null : (
        <Text size="sm" c="dimmed" px={6}>
          {t('base:views.none')}
        </Text>
      )}
      <form
        className={classes.line}
        onSubmit={(event) => {
          event.preventDefault();
          if (wanted === '' || isFull) return;
          save.mutate(withView(views, { title: wanted, query: now }));
          setTitle('');
        }}
      >
        <TextInput
          size="xs"
          value={title}
          maxLength={MAX_TITLE}
          onChange={(event) => setTitle(event.currentTarget.value)}
          placeholder={t('base:views.title')}
          aria-label={t('base:views.title')}
          error={isFull ? t('base:views.most', { count: MAX_VIEWS }) : null}
          data-testid={`${testId}-title`}
        />
        <Button type="submit" size="xs" disabled={wanted === '' || isFull} data-testid={`${testId}-save`}>
          {t('base:views.save')}
        </Button>
      </form>
    </>
  );
}

function Act({
  icon: Icon,
  label,
  testId,
  onClick,
}: {
  icon: typeof IconLink;
  label: string;
  testId: string;
  onClick: () => void;
}): ReactElement {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={28}
      aria-label={label}
      title={label}
      onClick={onClick}
      data-testid={testId}
    >
      <Icon size={15} stroke={1.6} />
    </ActionIcon>
  );
}

interface RenamingProps {
  title: string;
  testId: string;
  /** False when the title cannot be had. */
  onDone: (title: string) => boolean;
  onCancel: () => void;
}

/** The field takes the focus that its button had. */
function focused(field: HTMLInputElement | null): void {
  field?.focus();
}

function Renaming({ title, testId, onDone, onCancel }: RenamingProps): ReactElement {
  const { t } = useTranslation();
  const [text, setText] = useState(title);
  const [isTaken, setIsTaken] = useState(false);
  return (
    <form
      className={classes.line}
      onSubmit={(event) => {
        event.preventDefault();
        setIsTaken(!onDone(text.trim()));
      }}
    >
      <TextInput
        size="xs"
        value={text}
        maxLength={MAX_TITLE}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          onCancel();
        }}
        aria-label={t('base:views.title')}
        error={isTaken ? t('base:views.taken') : null}
        ref={focused}
        data-testid={`${testId}-new-title`}
      />
      <Button type="submit" size="xs" disabled={text.trim() === ''} data-testid={`${testId}-renamed`}>
        {t('base:action.ok')}
      </Button>
    </form>
  );
}
