import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type {
  AddProductData,
  AddProductResponse,
  ChangeProductData,
  ChangeProductResponse,
  DeleteProductData,
  DeleteProductResponse,
  ListProductsData,
  ListProductsResponse,
  ProductRow,
  RotateProductKeyData,
  RotateProductKeyResponse,
} from '@/api/generated/types.gen';
import ProductList from '@/features/products/screens/ProductList';
import { answer, refuse } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';

const MAY = ['Product'];
const KEY_URL = '/api/v1/product/{product_id}/key';

function product(changes: Partial<ProductRow> = {}): ProductRow {
  return {
    id: 1,
    name: 'Heat meter',
    product_id: 'heat-1',
    remark: '',
    owner_id: null,
    owner_name: '',
    has_key: true,
    devices: 0,
    created_ms: 0,
    ...changes,
  };
}

let added: Call[];

beforeEach(() => {
  added = answer<AddProductData, AddProductResponse>('post', '/api/v1/product', {
    product: product({ name: 'Fan' }),
    api_key: 'key-of-fan',
  });
});

async function list(rows: ProductRow[], permissions = MAY): Promise<Rendered> {
  answer<ListProductsData, ListProductsResponse>('get', '/api/v1/product', { rows, total: rows.length });
  const page = await show(<ProductList />, { permissions });
  if (rows.length > 0) await waitFor(() => expect(screen.getAllByTestId('products-row')).toHaveLength(rows.length));
  else await screen.findByTestId('empty-state');
  return page;
}

const field = (name: string): HTMLInputElement => screen.getByTestId<HTMLInputElement>(name);

test('a new product shows its key once, and only its button closes it', async () => {
  const { user } = await list([]);
  await user.click(screen.getByTestId('products-create'));
  await user.type(await screen.findByTestId('product-name'), 'Fan');
  await user.type(field('product-code'), 'fan-2');
  await user.click(field('form-save'));
  expect((await screen.findByTestId('product-key-text')).textContent).toBe('key-of-fan');
  expect(added[0]?.body).toEqual({ name: 'Fan', product_id: 'fan-2', remark: '' });
  await user.keyboard('{Escape}');
  expect(screen.queryByTestId('product-key-text')).not.toBeNull();
  await user.click(field('product-key-close'));
  await waitFor(() => expect(screen.queryByTestId('product-key-text')).toBeNull());
});

test.each(['-x', 'x', 'a b', `x${'y'.repeat(40)}`])('the code %j of a product is refused', async (code) => {
  const { user } = await list([]);
  await user.click(screen.getByTestId('products-create'));
  await user.type(await screen.findByTestId('product-name'), 'Fan');
  field('product-code').removeAttribute('maxlength');
  await user.type(field('product-code'), code);
  await user.click(field('form-save'));
  await waitFor(() => expect(field('product-code').getAttribute('aria-invalid')).toBe('true'));
  expect(added).toEqual([]);
});

test('the code of a product stays what it is', async () => {
  const changed = answer<ChangeProductData, ChangeProductResponse>('put', '/api/v1/product/{product_id}', product());
  const { user } = await list([product()]);
  await user.click(screen.getByTestId('row-edit'));
  await user.type(await screen.findByTestId('product-name'), ' 2');
  expect(field('product-code').disabled).toBe(true);
  await user.click(field('form-save'));
  await waitFor(() => expect(changed[0]?.body).toEqual({ name: 'Heat meter 2', remark: '' }));
  expect(screen.queryByTestId('product-key')).toBeNull();
});

test('a key is rotated after a question that names the product', async () => {
  const rotated = answer<RotateProductKeyData, RotateProductKeyResponse>('post', KEY_URL, {
    api_key: 'second',
  } as unknown as RotateProductKeyResponse['data']);
  const { user } = await list([product()]);
  await user.click(screen.getByTestId('product-rotate'));
  expect((await screen.findByTestId('confirm-dialog')).textContent).toContain('Heat meter');
  await user.click(field('confirm-no'));
  expect(rotated).toEqual([]);
  await user.click(screen.getByTestId('product-rotate'));
  await user.click(await screen.findByTestId('confirm-yes'));
  expect((await screen.findByTestId('product-key-text')).textContent).toBe('second');
});

test('a rotation that is refused is told, and no key is shown', async () => {
  refuse<RotateProductKeyData>('post', KEY_URL, { status: 400, code: 20_000, data: { message: 'not yours' } });
  const { user } = await list([product()]);
  await user.click(screen.getByTestId('product-rotate'));
  await user.click(await screen.findByTestId('confirm-yes'));
  expect(await screen.findByText(/not yours/)).toBeTruthy();
  expect(screen.queryByTestId('product-key')).toBeNull();
});

test('a product with devices is not deleted, one without is', async () => {
  const gone = answer<DeleteProductData, DeleteProductResponse>('delete', '/api/v1/product/{product_id}', null);
  const { user } = await list([product({ devices: 3 }), product({ id: 2, name: 'Fan' })]);
  const [bound, free] = screen.getAllByTestId('row-remove');
  expect(bound?.getAttribute('aria-label')).toContain('3');
  await user.click(bound as HTMLElement);
  expect(screen.queryByTestId('confirm-dialog')).toBeNull();
  await user.click(free as HTMLElement);
  await user.click(await screen.findByTestId('confirm-yes'));
  await waitFor(() => expect(gone).toHaveLength(1));
});

test('without the permission a product is neither added, changed nor deleted', async () => {
  const { user } = await list([product()], []);
  for (const name of ['products-create', 'row-edit', 'row-remove']) {
    expect(screen.getByTestId(name).getAttribute('aria-disabled')).toBe('true');
    await user.click(screen.getByTestId(name));
  }
  expect(screen.queryByTestId('form-drawer')).toBeNull();
  expect(screen.queryByTestId('confirm-dialog')).toBeNull();
});
