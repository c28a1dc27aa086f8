import { Button, Group, Modal } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import page from '@/components/page.module.css';
import type { BatchRow } from '../api';
import classes from '../devices.module.css';

const KNOWN: ReadonlySet<string> = new Set(['not_found', 'device.shared_read_only', 'device.not_owner', 'device.not_seller', 'device.other_project', 'device.project_is_group',
  'device.auto_position',
]);

/** What became of each gateway: those that were left out, and why, are named. */
export function BatchResult({ rows, onClose }: { rows: readonly BatchRow[]; onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const count = (state: string): number => rows.filter((row) => row.state === state).length;
  const skipped = rows.filter((row) => row.state === 'skipped');
  const why = ({ reason }: BatchRow): string => (KNOWN.has(reason) ? t(`devices:skipped.${reason.replace('device.', '')}`) : reason);
  const sum = { changed: count('changed'), unchanged: count('unchanged'), skipped: skipped.length };
  return (
    <Modal opened onClose={onClose} title={t('devices:batch.done')} closeButtonProps={{ 'aria-label': t('base:action.close') }} data-testid="batch-result">
      <p role="status">{t('devices:batch.sum', sum)}</p>
      {skipped.length === 0 ? null : (
        <div className={classes.rows}>
          <table className={page.table}>
            <thead>
              <tr>
                <th scope="col">{t('devices:field.device_title')}</th>
                <th scope="col">{t('devices:batch.why')}</th>
              </tr>
            </thead>
            <tbody>
              {skipped.map((row) => (
                <tr key={row.id}>
                  <th scope="row">{row.device_title || row.id}</th>
                  <td>{why(row)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Group justify="flex-end" mt="md">
        <Button onClick={onClose} data-testid="batch-close">
          {t('base:action.close')}
        </Button>
      </Group>
    </Modal>
  );
}
