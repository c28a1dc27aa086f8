import { Button, Group, Modal } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { showError } from '@/components/notices';
import page from '@/components/page.module.css';
import { reasonText } from '@/components/refusal';
import type { BatchRow } from '../api';
import classes from '../devices.module.css';

const KNOWN: ReadonlySet<string> = new Set([
  'not_found',
  'device.shared_read_only',
  'device.not_owner',
  'device.not_seller',
  'device.other_project',
  'device.project_is_group',
  'device.auto_position',
  'device.no_location_point',
  'device.changed_since',
  'device.saving_interval',
  'configuration.behind',
  'configuration.moved',
]);

interface Props {
  rows: readonly BatchRow[];
  putBack: () => Promise<readonly BatchRow[]>;
  onClose: () => void;
}

/** What became of each gateway: those that were left out, and why, are named. What was changed can be taken back. */
export function BatchResult({ rows: made, putBack, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const undo = useMutation({ mutationFn: putBack, onError: showError });
  const rows = undo.data ?? made;
  const count = (state: string): number => rows.filter((row) => row.state === state).length;
  const skipped = rows.filter((row) => row.state === 'skipped');
  const lost = undo.data === undefined ? made.filter((row) => row.is_final).length : 0;
  const why = ({ reason }: BatchRow): string =>
    KNOWN.has(reason) ? t(`devices:skipped.${reason.replace(/^\w+\./, '')}`) : (reasonText(reason) ?? reason);
  const sum = { changed: count('changed'), unchanged: count('unchanged'), skipped: skipped.length };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(undo.data === undefined ? 'devices:batch.done' : 'devices:batch.backTitle')}
      data-testid="batch-result"
    >
      <p role="status">{t(undo.data === undefined ? 'devices:batch.sum' : 'devices:batch.backSum', sum)}</p>
      {lost === 0 ? null : <p>{t('devices:batch.lost', { count: lost })}</p>}
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
        {undo.data !== undefined || sum.changed === 0 ? null : (
          <Button variant="default" loading={undo.isPending} onClick={() => undo.mutate()} data-testid="batch-undo">
            {t('base:undo.action')}
          </Button>
        )}
        <Button onClick={onClose} data-testid="batch-close">
          {t('base:action.close')}
        </Button>
      </Group>
    </Modal>
  );
}
