import { useMemo } from 'react';
import { menuOf } from '@/lib/screens';
import type { Screen, Section } from '@/lib/screens';
import { isOtaHost, useAccess, useSession } from '@/lib/session';
import { screens } from '../manifest';
import { sections } from '../sections';

export interface MenuGroup {
  section: Section;
  entries: readonly Screen[];
}

/** Groups of the menu that the user may see, in their order. */
export function useMenu(place: 'side' | 'top'): readonly MenuGroup[] {
  const access = useAccess();
  const onOtaHost = useSession(isOtaHost);
  return useMemo(() => {
    const menu = menuOf(screens, access, onOtaHost);
    const groups = sections.filter((section) => (section.place ?? 'side') === place);
    return groups.flatMap((section) => {
      const entries = menu.get(section.id);
      return entries === undefined ? [] : [{ section, entries }];
    });
  }, [access, onOtaHost, place]);
}
