import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DataTable } from '@/components/table/DataTable';
import { useTab } from '@/lib/tab';
import { deviceTargetsQuery } from '../api';
import type { TargetRow } from '../api';
import { Rejects } from '../components/Rejects';
import { useDeviceTargetColumns } from '../components/useTargetColumns';
import classes from '../forwarding.module.css';

const rowId = ({ name }: TargetRow): string => name;

/** The targets that a gateway forwards to beside the cloud: what each took, what it refused, and why. */
export default function ForwardingTab(): ReactElement {
  const { t } = useTranslation();
  const { search } = useTab();
  const query = useQuery(deviceTargetsQuery(Number(search.device_id)));
  const columns = useDeviceTargetColumns();
  const ledgers = query.data ?? [];
  return (
    <>
      <div className={classes.bar}>
        <h2>{t('forwarding:title')}</h2>
      </div>
      <DataTable
        name="targets"
        label={t('forwarding:title')}
        columns={columns}
        rows={ledgers}
        rowId={rowId}
        query={query}
        empty={{ title: t('forwarding:none'), text: t('forwarding:noneText') }}
      />
      {ledgers.length === 0 ? null : <Rejects ledgers={ledgers} />}
    </>
  );
}
