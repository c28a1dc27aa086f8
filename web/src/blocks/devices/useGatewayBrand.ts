import { queryOptions, useQuery } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import { call } from '@/api/http';

/** Until the platform's own is known. */
const PRODUCT_BRAND = 'SMGW';
const STALE_MS = 300_000;

/** The name under which the platform's gateways are sold. */
export const gatewayBrandQuery = queryOptions({
  queryKey: ['option', 'gateway_brand'],
  queryFn: async ({ signal }): Promise<string> => {
    const option = await call(sdk.getOption({ query: { name: 'gateway_brand' }, signal }));
    return option.name === 'gateway_brand' ? (option.value ?? PRODUCT_BRAND) : PRODUCT_BRAND;
  },
  staleTime: STALE_MS,
});

export function useGatewayBrand(): string {
  return useQuery(gatewayBrandQuery).data ?? PRODUCT_BRAND;
}

/** 'SMGW DTU' */
export function branded(brand: string, type: string): string {
  return `${brand} ${type}`;
}
