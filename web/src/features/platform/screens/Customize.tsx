import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ResourcePage } from '@/components/resource/ResourcePage';
import { RowButton } from '@/components/resource/RowButton';
import type { Resource } from '@/components/resource/resource';
import { domainOf } from '@/lib/brand';
import { formatDateTime } from '@/lib/time';
import { deleteCustomize, loadCustomize, putCustomize } from '../api';
import type { CustomizeRow } from '../api';
import { LooksForm } from '../components/LooksForm';
import { DEFAULT_DOMAIN, emptyLooks, looksOf } from '../looks';
import type { LooksDraft } from '../looks';
import classes from '../platform.module.css';

const KEY = ['customize'];

interface Editing {
  draft: LooksDraft;
  isNew: boolean;
}

/** How the portal looks, by host name. */
export default function Customize(): ReactElement {
  const [editing, setEditing] = useState<Editing | null>(null);
  const resource = useLooks(setEditing);
  return (
    <>
      <ResourcePage resource={resource} />
      {editing === null ? null : <LooksForm {...editing} queryKey={KEY} onClose={() => setEditing(null)} />}
    </>
  );
}

function useLooks(onEdit: (editing: Editing) => void): Resource<CustomizeRow> {
  const { t } = useTranslation();
  return useMemo(() => {
    const here = domainOf(window.location.hostname);
    const edit = (row: CustomizeRow): void => onEdit({ draft: looksOf(row), isNew: false });
    const nameOf = ({ domain }: CustomizeRow): string =>
      domain === DEFAULT_DOMAIN ? t('platform:customize.default') : domain;
    const pictures = (row: CustomizeRow): string =>
      [
        row.logo && t('platform:customize.logo'),
        row.background && t('platform:customize.background'),
        (row.carousel?.length ?? 0) > 0 && t('platform:customize.carousel'),
      ]
        .filter(Boolean)
        .join(t('platform:separator')) || '–';
    return {
      name: 'customize',
      title: t('platform:title.customize'),
      queryKey: KEY,
      load: loadCustomize,
      rowId: (row) => row.domain,
      columns: [
        {
          id: 'domain',
          title: t('platform:customize.domain'),
          cell: nameOf,
          text: (row) => row.domain,
          fixed: true,
          card: 'title',
        },
        {
          id: 'here',
          title: t('platform:customize.here'),
          cell: (row) => (row.domain === here ? t('platform:customize.thisHost') : ''),
          card: 'mark',
        },
        {
          id: 'title',
          title: t('platform:customize.title'),
          cell: (row) => row.platform_title,
          text: (row) => row.platform_title ?? '',
          card: 'fact',
        },
        {
          id: 'logo',
          title: t('platform:customize.logo'),
          cell: (row) => (row.logo ? <img src={row.logo} alt="" className={classes.thumb} /> : null),
        },
        { id: 'pictures', title: t('platform:customize.pictures'), cell: pictures, text: pictures, card: 'fact' },
        {
          id: 'changed',
          title: t('platform:customize.changed'),
          cell: (row) => formatDateTime(row.changed_ms),
          text: (row) => formatDateTime(row.changed_ms),
          card: 'fact',
        },
        { id: 'by', title: t('platform:customize.by'), cell: (row) => row.user_name, text: (row) => row.user_name },
      ],
      onOpen: edit,
      rowActions: (row) => <RowButton kind="edit" why="" onClick={() => edit(row)} />,
      tools: (
        <Button
          leftSection={<IconPlus size={16} />}
          onClick={() => onEdit({ draft: emptyLooks(here), isNew: true })}
          data-testid="looks-add"
        >
          {t('platform:customize.add')}
        </Button>
      ),
      remove: {
        may: { permission: 'auth.Customize', userTypes: [0] },
        what: nameOf,
        impact: () => t('platform:customize.removeImpact'),
        call: (row) => deleteCustomize(row.domain),
        undo: (row) => {
          const { domain, ...looks } = looksOf(row);
          return putCustomize(domain, looks);
        },
      },
      empty: { title: t('platform:customize.none'), text: t('platform:customize.noneText') },
    };
  }, [t, onEdit]);
}
