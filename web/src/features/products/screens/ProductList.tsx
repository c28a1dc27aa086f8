import { ActionIcon, Textarea, TextInput, Tooltip } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useCallback, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyText } from '@/components/CopyText';
import { showError } from '@/components/notices';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import { useConfirm } from '@/components/useConfirm';
import { formatDateTime } from '@/lib/time';
import { addProduct, changeProduct, CODE, deleteProduct, loadProducts, PRODUCTS, rotateKey } from '../api';
import type { NewProduct, ProductRow } from '../api';
import { NewKeyDialog } from '../components/NewKeyDialog';
import type { MadeKey } from '../components/NewKeyDialog';

type Draft = { name: string; product_id: string; remark: string };

/** Kinds of devices, each with the id that is printed on them and an API key. */
export default function ProductList(): ReactElement {
  const { t } = useTranslation();
  const [made, setMade] = useState<MadeKey | null>(null);
  const [ask, dialog] = useConfirm();
  const rotate = useCallback(
    async (row: ProductRow): Promise<void> => {
      const question = {
        title: t('products:key.rotate'),
        text: t('products:key.question', { name: row.name }),
        confirm: t('products:key.rotate'),
        danger: true,
      };
      if (!(await ask(question))) return;
      try {
        setMade({ name: row.name, key: await rotateKey(row.id) });
      } catch (error) {
        showError(error);
      }
    },
    [ask, t],
  );
  return (
    <>
      <ResourcePage resource={useProducts(setMade, rotate)} />
      {dialog}
      {made === null ? null : <NewKeyDialog made={made} onClose={() => setMade(null)} />}
    </>
  );
}

function useProducts(
  onKey: (made: MadeKey) => void,
  rotate: (row: ProductRow) => Promise<void>,
): Resource<ProductRow, Draft> {
  const { t } = useTranslation();
  return useMemo(
    () => ({
      name: 'products',
      title: t('products:title'),
      queryKey: PRODUCTS,
      load: loadProducts,
      rowId: (row) => row.id,
      columns: [
        {
          id: 'name',
          title: t('products:field.name'),
          cell: (row) => row.name,
          text: (row) => row.name,
          fixed: true,
          card: 'title',
        },
        {
          id: 'code',
          title: t('products:field.code'),
          cell: (row) => <CopyText text={row.product_id} />,
          text: (row) => row.product_id,
          card: 'mark',
        },
        {
          id: 'devices',
          title: t('products:field.devices'),
          align: 'right',
          card: 'fact',
          cell: (row) => <span className="number">{row.devices}</span>,
          text: (row) => String(row.devices),
        },
        {
          id: 'owner',
          title: t('products:field.owner'),
          cell: (row) => row.owner_name || t('products:platform'),
          text: (row) => row.owner_name,
          card: 'fact',
        },
        {
          id: 'created',
          title: t('products:field.created'),
          cell: (row) => formatDateTime(row.created_ms),
          text: (row) => formatDateTime(row.created_ms),
        },
        { id: 'remark', title: t('products:field.remark'), cell: (row) => row.remark, text: (row) => row.remark },
      ],
      filters: [{ kind: 'search', name: 'search', label: t('products:search') }],
      form: {
        empty: { name: '', product_id: '', remark: '' },
        of: ({ name, product_id, remark }) => ({ name, product_id, remark }),
        words: { create: t('products:add'), edit: t('products:edit') },
        mayCreate: 'Product',
        mayUpdate: 'Product',
        validate: {
          name: (name) => (name.trim() === '' ? t('products:rule.name') : null),
          product_id: (code) => (CODE.test(code.trim()) ? null : t('products:rule.code')),
        },
        fields: ({ fields }, mode) => (
          <>
            <TextInput
              label={t('products:field.name')}
              required
              maxLength={100}
              data-autofocus
              data-testid="product-name"
              {...fields.getInputProps('name')}
            />
            <TextInput
              label={t('products:field.code')}
              description={mode === 'edit' ? t('products:hint.fixed') : t('products:hint.code')}
              required
              maxLength={40}
              disabled={mode === 'edit'}
              data-testid="product-code"
              {...fields.getInputProps('product_id')}
            />
            <Textarea
              label={t('products:field.remark')}
              autosize
              minRows={2}
              maxLength={500}
              {...fields.getInputProps('remark')}
            />
          </>
        ),
        create: (draft) => addProduct(draft),
        update: (row, { name, remark }) => changeProduct(row.id, { name, remark }),
        onSaved: (answer, _draft, mode) => {
          if (mode !== 'create') return;
          const { product, api_key } = answer as NewProduct;
          onKey({ name: product.name, key: api_key });
        },
      },
      rowActions: (row) => (
        <Tooltip label={t('products:key.rotate')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            onClick={() => void rotate(row)}
            aria-label={t('products:key.rotateOf', { name: row.name })}
            data-testid="product-rotate"
          >
            <IconKey size={16} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      ),
      remove: {
        may: 'Product',
        what: (row) => row.name,
        whyNot: (row) => (row.devices > 0 ? t('products:refusal.product.in_use', { devices: row.devices }) : ''),
        call: (row) => deleteProduct(row.id),
        impact: () => t('products:impact'),
      },
      empty: { title: t('products:none'), text: t('products:noneText') },
    }),
    [t, onKey, rotate],
  );
}
