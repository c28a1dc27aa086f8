import type { ReactElement } from 'react';
import { BrandMark } from '@/components/BrandMark';
import { useBrand } from '@/lib/brand';

/** The logo of this host name, else the product's mark. */
export function Logo({ size }: { size: number }): ReactElement {
  const logo = useBrand((brand) => brand.logo);
  return logo === '' ? <BrandMark size={size} /> : <img src={logo} alt="" width={size} height={size} />;
}
