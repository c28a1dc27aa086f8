import type { ReactElement } from 'react';
import { SavedViews } from '@/blocks/views/SavedViews';
import { choicesOf, viewOf } from '@/blocks/views/viewStore';
import { useTab } from '@/lib/tab';
import { CHOICES } from '../monitorList';

/** Choices of the list that a user keeps under a name. */
export function MonitorViews({ asIcon }: { asIcon: boolean }): ReactElement {
  const { search, setSearch } = useTab();
  return (
    <SavedViews
      name="monitor_views"
      now={viewOf(search, CHOICES)}
      path="/monitor/list"
      onChoose={(query) => setSearch(choicesOf(query, CHOICES), 'push')}
      asIcon={asIcon}
      testId="monitor-view"
    />
  );
}
