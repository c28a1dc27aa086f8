import { useGo } from '@/lib/navigation';
import { useOpened } from '../opened';

/** Close a page; when it was in front, its neighbour comes forward, and without one the landing page. */
export function useClose(): (id: string) => void {
  const go = useGo();
  return (id) => {
    const { tabs, activeId, close } = useOpened.getState();
    const at = tabs.findIndex((tab) => tab.id === id);
    const next = tabs[at + 1] ?? tabs[at - 1];
    close(id);
    if (id !== activeId) return;
    if (next === undefined) go('/');
    else go(next.screen.path, next.search);
  };
}
