import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { sizeText } from '@/blocks/jobs/jobs';
import { CopyButton } from '@/components/CopyText';
import page from '@/components/page.module.css';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import { formatDateTime } from '@/lib/time';
import type { FileRow } from '../api';
import classes from '../firmware.module.css';

/** Of the SHA-256, as far as a list has space for it. */
const HASH_SIGNS = 12;

export function useFileColumns(): readonly Column<FileRow>[] {
  const { t } = useTranslation();
  return useMemo(() => {
    const trust = (row: FileRow): string => t(row.trusted ? 'firmware:trusted' : 'firmware:untrusted');
    const models = (row: FileRow): string => row.models.join(', ');
    const time = (row: FileRow): string => formatDateTime(row.created_ms);
    const number = (id: 'version' | 'security_version' | 'plans' | 'gateways'): Column<FileRow> => ({
      id,
      title: t(`firmware:file.${id}`),
      align: 'right',
      hidden: id === 'security_version',
      card: id === 'version' || id === 'gateways' ? 'fact' : undefined,
      cell: (row) => <span className="number">{row[id]}</span>,
      text: (row) => String(row[id]),
    });
    return [
      {
        id: 'name',
        title: t('firmware:file.name'),
        fixed: true,
        card: 'title',
        cell: (row) => (
          <>
            <span className={classes.name}>{`${row.name} ${row.version_text}`}</span>
            <span className={page.sub}>{row.file_name}</span>
          </>
        ),
        text: (row) => `${row.name} ${row.version_text}`,
      },
      {
        id: 'trusted',
        title: t('firmware:file.signature'),
        card: 'mark',
        cell: (row) => (
          <>
            <ToneText tone={row.trusted ? 'ok' : 'warn'}>{trust(row)}</ToneText>
            <span className={page.sub}>{row.key_id}</span>
          </>
        ),
        text: (row) => `${trust(row)} ${row.key_id}`,
      },
      {
        id: 'type',
        title: t('firmware:field.upgrade_type'),
        card: 'fact',
        cell: (row) => t(`firmware:type.${row.upgrade_type}`),
        text: (row) => t(`firmware:type.${row.upgrade_type}`),
      },
      number('version'),
      { id: 'models', title: t('firmware:file.models'), card: 'fact', cell: models, text: models },
      number('security_version'),
      {
        id: 'min_agent',
        title: t('firmware:file.min_agent'),
        hidden: true,
        cell: (row) => row.min_agent,
        text: (row) => row.min_agent,
      },
      {
        id: 'size',
        title: t('firmware:file.size'),
        align: 'right',
        cell: (row) => <span className={classes.line}>{sizeText(row.size)}</span>,
        text: (row) => String(row.size),
      },
      {
        id: 'sha256',
        title: t('firmware:file.sha256'),
        cell: (row) => (
          <span className={classes.line}>
            <span className={classes.mono} title={row.sha256}>
              {row.sha256.slice(0, HASH_SIGNS)}
            </span>
            <CopyButton text={row.sha256} name={t('firmware:file.sha256')} />
          </span>
        ),
        text: (row) => row.sha256,
      },
      number('gateways'),
      number('plans'),
      {
        id: 'created',
        title: t('firmware:file.created_ms'),
        cell: (row) => (
          <>
            <span className={`number ${classes.line}`}>{time(row)}</span>
            <span className={page.sub}>{row.user_name}</span>
          </>
        ),
        text: time,
      },
    ];
  }, [t]);
}
