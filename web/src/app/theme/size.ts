import { usePreferences } from '@/lib/preferences';

/** The sheet reads the user's size from the page's root. */
export function followSize(): void {
  const apply = ({ size }: { size: string }): void => {
    document.documentElement.dataset.size = size;
  };
  apply(usePreferences.getState());
  usePreferences.subscribe(apply);
}
