import { useEffect } from 'react';
import { useBrand } from '@/lib/brand';
import { useTitle } from './useTitle';

/** The window's title: page, then platform. */
export function useDocumentTitle(page: string): void {
  const own = useBrand((brand) => brand.browserTitle);
  const title = useTitle();
  useEffect(() => {
    const platform = own || title;
    document.title = page === '' ? platform : `${page} · ${platform}`;
  }, [page, own, title]);
}
