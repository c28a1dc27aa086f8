import { Badge, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { PageSkeleton } from '@/components/PageSkeleton';
import page from '@/components/page.module.css';
import { Paging } from '@/components/Paging';
import { ScreenLink } from '@/components/ScreenLink';
import { Trouble } from '@/components/Trouble';
import { usePages, useStepBack } from '@/components/usePages';
import { overridesQuery, usageQuery } from '../api';
import type { Override, TemplateRow, UsageRow } from '../api';
import { fieldWord, valueWord } from '@/blocks/templates/fieldWords';
import table from '@/blocks/templates/rows.module.css';
import classes from '../templates.module.css';

/** Gateways that use a template, and what each of them has otherwise. */
export default function Usage({ node }: { node: TemplateRow }): ReactElement {
  const { t } = useTranslation();
  const pages = usePages();
  const query = useQuery(usageQuery(node.template_id, pages.page, pages.limit));
  useStepBack(pages, query);
  const { data, error, refetch } = query;
  if (error !== null) return <Trouble error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <PageSkeleton />;
  if (data.total === 0)
    return <Empty title={t('templates:usage.none')} text={t(`templates:usage.noneText.${node.category}`)} />;
  return (
    <>
      {data.rows.map((row) => (
        <Gateway key={row.device_id} row={row} newest={node.newest} />
      ))}
      <Paging pages={pages} total={data.total} />
    </>
  );
}

function Gateway({ row, newest }: { row: UsageRow; newest: number }): ReactElement {
  const { t } = useTranslation();
  return (
    <section className={classes.usage} data-testid="usage-gateway" data-id={row.device_id}>
      <ScreenLink
        path="/deviceDetail/index"
        search={{ device_id: row.device_id, tab: 'configuration' }}
        className={page.title}
      >
        {row.device_title}
      </ScreenLink>{' '}
      <Text span size="xs" c="dimmed">
        {row.gateway_id}
      </Text>
      {row.slaves.map((slave) => (
        <div key={slave.slave} data-testid="usage-slave" data-slave={slave.slave}>
          <Text size="sm" component="div">
            {slave.slave === '' ? t('templates:usage.whole') : slave.slave}{' '}
            <Badge size="sm" variant="light" tt="none" color={slave.version < newest ? 'orange' : 'steel'}>
              v{slave.version}
            </Badge>{' '}
            {slave.overridden === 0
              ? t('templates:usage.same')
              : t('templates:usage.overridden', { count: slave.overridden })}
            {slave.own_rows > 0 ? ` · ${t('templates:usage.own', { count: slave.own_rows })}` : ''}
          </Text>
          {slave.overridden > slave.overrides.length ? (
            <AllOverrides deviceId={row.device_id} slave={slave.slave} />
          ) : (
            <Overrides overrides={slave.overrides} />
          )}
        </div>
      ))}
    </section>
  );
}

/** More than the list of gateways tells, page by page. */
function AllOverrides({ deviceId, slave }: { deviceId: number; slave: string }): ReactElement | null {
  const pages = usePages();
  const query = useQuery(overridesQuery(deviceId, slave, pages.page, pages.limit));
  useStepBack(pages, query);
  const { data, error, refetch } = query;
  if (error !== null) return <Trouble error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return null;
  return (
    <>
      <Overrides overrides={data.rows} />
      <Paging pages={pages} total={data.total} label={slave} />
    </>
  );
}

function Overrides({ overrides }: { overrides: readonly Override[] }): ReactElement | null {
  const { t } = useTranslation();
  if (overrides.length === 0) return null;
  return (
    <table className={table.rows}>
      <thead>
        <tr>
          <th scope="col">{t('templates:usage.row')}</th>
          <th scope="col">{t('templates:usage.field')}</th>
          <th scope="col">{t('templates:usage.theirs')}</th>
          <th scope="col">{t('templates:usage.ours')}</th>
        </tr>
      </thead>
      <tbody>
        {overrides.map(({ row, field, template_value, own_value }) => (
          <tr key={`${row}.${field}`}>
            <th scope="row">{row}</th>
            <td>{field === '' ? t('templates:usage.removed') : fieldWord(field, t)}</td>
            <td>{field === '' ? '' : valueWord(template_value)}</td>
            <td>{field === '' ? '' : valueWord(own_value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
