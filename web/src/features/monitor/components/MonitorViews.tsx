import { Button, CloseButton, Menu, TextInput } from '@mantine/core';
import { IconBookmark } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useTab } from '@/lib/tab';
import { choicesOf, saveViews, viewOf, viewsQuery, withView } from '../monitorList';
import type { MonitorView } from '../monitorList';
import list from '../monitorList.module.css';

const MOST_VIEWS = 20;
const MOST_TITLE = 50;

/** Choices of the list that a user keeps under a name. */
export function MonitorViews(): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const cache = useQueryClient();
  const { data: views = [] } = useQuery(viewsQuery);
  const [title, setTitle] = useState('');
  const save = useMutation({
    mutationFn: saveViews,
    onMutate: (next: readonly MonitorView[]) => cache.setQueryData(viewsQuery.queryKey, next),
    onError: () => cache.invalidateQueries({ queryKey: viewsQuery.queryKey }),
  });
  const now = viewOf(search);
  const name = title.trim();
  const isFull = views.length >= MOST_VIEWS && !views.some((view) => view.title === name);
  return (
    <Menu position="bottom-end" closeOnItemClick={false} trapFocus>
      <Menu.Target>
        <Button variant="default" leftSection={<IconBookmark size={16} stroke={1.6} />} data-testid="monitor-views">
          {t('monitor:points.views')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {views.map((view) => (
          <div key={view.title} className={list.view}>
            <Menu.Item
              onClick={() => setSearch(choicesOf(view.query), 'push')}
              aria-current={view.query === now || undefined}
              fw={view.query === now ? 600 : undefined}
              data-testid="monitor-view"
            >
              {view.title}
            </Menu.Item>
            <CloseButton
              size="sm"
              aria-label={t('monitor:points.deleteView', { title: view.title })}
              onClick={() => save.mutate(views.filter((each) => each !== view))}
            />
          </div>
        ))}
        {views.length === 0 ? <Menu.Label>{t('monitor:points.noViews')}</Menu.Label> : <Menu.Divider />}
        <form
          className={list.newView}
          onSubmit={(event) => {
            event.preventDefault();
            if (name === '' || isFull) return;
            save.mutate(withView(views, { title: name, query: now }));
            setTitle('');
          }}
        >
          <TextInput
            size="xs"
            value={title}
            maxLength={MOST_TITLE}
            onChange={(event) => setTitle(event.currentTarget.value)}
            onKeyDown={(event) => event.stopPropagation()}
            placeholder={t('monitor:points.viewTitle')}
            aria-label={t('monitor:points.viewTitle')}
            error={isFull ? t('monitor:points.mostViews', { count: MOST_VIEWS }) : null}
            data-testid="monitor-view-title"
          />
          <Button type="submit" size="xs" disabled={name === '' || isFull} data-testid="monitor-view-save">
            {t('monitor:points.saveView')}
          </Button>
        </form>
      </Menu.Dropdown>
    </Menu>
  );
}
