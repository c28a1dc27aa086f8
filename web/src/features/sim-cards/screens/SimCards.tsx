import { Button } from '@mantine/core';
import { IconFileImport, IconList } from '@tabler/icons-react';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import type { Filter } from '@/components/resource/filters';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import { datedName } from '@/components/clipboard';
import { useTab } from '@/lib/tab';
import {
  CARDS,
  changeCard,
  createCard,
  deleteCard,
  EXPIRES_WITHIN_DAYS,
  exportCards,
  loadCards,
  OPERATORS,
  STATUSES,
} from '../api';
import type { CardRow } from '../api';
import { useCardColumns } from '../components/useCardColumns';
import { cardBody, cardDraft, expectedDigit, NAMES, NO_CARD, plainIccid } from '../draft';
import type { CardDraft } from '../draft';

const CardFields = lazy(() => import('../components/CardFields'));
const CardDrawer = lazy(() => import('../components/CardDrawer'));
const RangeDrawer = lazy(() => import('../components/RangeDrawer'));
const ImportDialog = lazy(() => import('../components/ImportDialog'));

const cardFields = (form: ApiForm<CardDraft>): ReactElement => <CardFields form={form} />;
const numbered = (text: string | undefined): number | null => {
  const id = Number(text);
  return Number.isInteger(id) && id > 0 ? id : null;
};

/** SIM cards; card=ID of the address opens one. */
export default function SimCards(): ReactElement {
  const { t, i18n } = useTranslation();
  const { search, setSearch } = useTab();
  const [adding, setAdding] = useState<'range' | 'import' | null>(null);
  const columns = useCardColumns();
  const open = useCallback((card: number | undefined) => setSearch({ card }, 'push'), [setSearch]);
  const filters = useMemo<readonly Filter[]>(
    () => [
      { kind: 'search', name: 'search', label: t('sim-cards:search') },
      {
        kind: 'select',
        name: 'operator',
        label: t('sim-cards:field.operator'),
        options: OPERATORS.map((value) => ({ value, label: t(`sim-cards:operator.${value}`) })),
      },
      {
        kind: 'select',
        name: 'status',
        label: t('sim-cards:field.status'),
        options: STATUSES.map((value) => ({ value, label: t(`sim-cards:status.${value}`) })),
      },
      {
        kind: 'select',
        name: 'expires',
        label: t('sim-cards:filter.expires'),
        options: EXPIRES_WITHIN_DAYS.map((days) => ({
          value: String(days),
          label: days === 0 ? t('sim-cards:filter.expired') : t('sim-cards:filter.within', { count: days }),
        })),
      },
      {
        kind: 'select',
        name: 'place',
        label: t('sim-cards:filter.place'),
        options: (['bound', 'unbound', 'moved'] as const).map((value) => ({
          value,
          label: t(`sim-cards:filter.${value}`),
        })),
      },
    ],
    [t],
  );
  const resource = useMemo<Resource<CardRow, CardDraft>>(
    () => ({
      name: 'sim-cards',
      title: t('sim-cards:title'),
      queryKey: CARDS,
      load: loadCards,
      rowId: (row) => row.id,
      columns,
      filters,
      onOpen: (row) => open(row.id),
      form: {
        empty: NO_CARD,
        of: cardDraft,
        names: NAMES,
        words: { create: t('sim-cards:add'), edit: t('sim-cards:edit') },
        fields: cardFields,
        validate: {
          iccid: (iccid, { checked_iccid }) => {
            if (iccid.trim() === '') return t('sim-cards:needed');
            const digit = expectedDigit(iccid);
            return digit === null || checked_iccid === plainIccid(iccid)
              ? null
              : t('sim-cards:digit.needed', { digit });
          },
        },
        create: (draft) => createCard(cardBody(draft)),
        update: (row, draft) => changeCard(row.id, cardBody(draft)),
      },
      remove: {
        what: (row) => row.iccid,
        call: (row) => deleteCard(row.id),
        impact: (row) =>
          [
            t('sim-cards:remove.records'),
            row.gateway === null ? null : t('sim-cards:remove.gateway', { gateway: row.gateway.title }),
          ]
            .filter((each) => each !== null)
            .join(' '),
      },
      empty: { title: t('sim-cards:none'), text: t('sim-cards:noneText') },
      download: {
        name: datedName(t('sim-cards:title'), 'xlsx'),
        load: (request) => exportCards(request, i18n.language),
      },
      tools: (
        <>
          <Button
            variant="default"
            leftSection={<IconList size={16} aria-hidden />}
            onClick={() => setAdding('range')}
            data-testid="sim-range"
          >
            {t('sim-cards:range.title')}
          </Button>
          <Button
            variant="default"
            leftSection={<IconFileImport size={16} aria-hidden />}
            onClick={() => setAdding('import')}
            data-testid="sim-import"
          >
            {t('sim-cards:import.title')}
          </Button>
        </>
      ),
    }),
    [t, i18n.language, columns, filters, open],
  );
  const card = numbered(search.card);
  return (
    <>
      <ResourcePage resource={resource} />
      <Suspense fallback={null}>
        {card === null ? null : <CardDrawer id={card} onClose={() => setSearch({ card: undefined })} />}
        {adding === 'range' ? <RangeDrawer onClose={() => setAdding(null)} /> : null}
        {adding === 'import' ? <ImportDialog onClose={() => setAdding(null)} /> : null}
      </Suspense>
    </>
  );
}
