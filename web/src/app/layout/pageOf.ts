import { lazy } from 'react';
import type { ComponentType, LazyExoticComponent } from 'react';
import type { Screen } from '@/lib/screens';

const pages = new Map<Screen, LazyExoticComponent<ComponentType>>();

/** The page of a screen, loaded once. */
export function pageOf(screen: Screen): LazyExoticComponent<ComponentType> {
  const known = pages.get(screen);
  if (known !== undefined) return known;
  const made = lazy(screen.load);
  pages.set(screen, made);
  return made;
}
