import * as sdk from '@/api/generated/sdk.gen';
import type { NewProduct, ProductBody, ProductChange, ProductRow } from '@/api/generated/types.gen';
import { call } from '@/api/http';
import type { ListRequest, Page } from '@/components/resource/resource';

export type { NewProduct, ProductRow };

export const PRODUCTS = ['product'] as const;

/** As the cloud checks it. */
export const CODE = /^[A-Za-z0-9][A-Za-z0-9_-]{1,39}$/;

export function loadProducts({ page, limit, filters }: ListRequest, signal: AbortSignal): Promise<Page<ProductRow>> {
  return call(sdk.listProducts({ query: { page, limit, search: filters.search || undefined }, signal }));
}

export function addProduct(body: ProductBody): Promise<NewProduct> {
  return call(sdk.addProduct({ body }));
}

export function changeProduct(id: number, body: ProductChange): Promise<ProductRow> {
  return call(sdk.changeProduct({ path: { product_id: id }, body }));
}

export async function deleteProduct(id: number): Promise<void> {
  await call(sdk.deleteProduct({ path: { product_id: id } }));
}

/** A new key; the old one opens nothing any more. */
export async function rotateKey(id: number): Promise<string> {
  return (await call(sdk.rotateProductKey({ path: { product_id: id } }))).api_key;
}
