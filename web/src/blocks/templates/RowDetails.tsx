import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Paging } from '@/components/Paging';
import { Trouble } from '@/components/Trouble';
import { usePages, useStepBack } from '@/components/usePages';
import { rowPreviewQuery } from './api';
import type { TemplateApplication, PreviewRow, RowPreview } from './api';
import classes from './apply.module.css';
import { fieldWord, valueWord } from './fieldWords';
import table from './rows.module.css';

interface Props {
  application: TemplateApplication;
  row: PreviewRow;
}

/** What a version changes in one gateway's draft, row by row, when it is asked for. */
export function RowDetails({ application, row }: Props): ReactElement | null {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  if (row.state !== 'change') return null;
  return (
    <div className={classes.details}>
      <Button
        size="compact-xs"
        variant="subtle"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        data-testid="apply-details"
      >
        {t(isOpen ? 'templates:apply.hideRows' : 'templates:apply.showRows')}
      </Button>
      {isOpen ? <Rows application={application} row={row} /> : null}
    </div>
  );
}

function Rows({ application, row }: Props): ReactElement | null {
  const { t } = useTranslation();
  const pages = usePages();
  const query = useQuery(rowPreviewQuery(application, row.device_id, pages.page, pages.limit));
  useStepBack(pages, query);
  const { data, error, refetch } = query;
  if (error !== null) return <Trouble error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return null;
  return (
    <>
      <table className={table.rows}>
        <thead>
          <tr>
            <th scope="col">{t('templates:usage.row')}</th>
            <th scope="col">{t('base:import.what')}</th>
            <th scope="col">{t('templates:usage.field')}</th>
          </tr>
        </thead>
        <tbody>
          {data.rows.map((each) => (
            <tr key={`${each.section}/${each.slave}/${each.name}`} data-testid="apply-detail">
              <th scope="row">{each.slave === '' ? each.name : `${each.slave}.${each.name}`}</th>
              <td>{t(`base:import.kind.${each.kind}`)}</td>
              <td>
                <Fields row={each} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {pages.page === 1 && data.total === data.rows.length ? null : (
        <Paging pages={pages} total={data.total} label={row.device_title} />
      )}
    </>
  );
}

function Fields({ row }: { row: RowPreview }): ReactElement {
  const { t } = useTranslation();
  if (row.kind !== 'changed')
    return <>{row.fields.map(({ field, after }) => `${fieldWord(field, t)} ${valueWord(after)}`).join(', ')}</>;
  return (
    <>
      {row.fields
        .map(({ field, before, after }) => `${fieldWord(field, t)} ${valueWord(before)} → ${valueWord(after)}`)
        .join(', ')}
    </>
  );
}
