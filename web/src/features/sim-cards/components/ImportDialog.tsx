import { Alert, Button, FileButton, Group, Modal, Stack, Text } from '@mantine/core';
import { IconDownload, IconUpload } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { saveBlob } from '@/components/clipboard';
import { errorText, showSuccess } from '@/components/notices';
import page from '@/components/page.module.css';
import { refusalText } from '@/components/refusal';
import { usePhone } from '@/components/table/usePhone';
import { CARDS, importCards, loadTemplate, previewImport } from '../api';
import type { FaultyRow, ImportPreview } from '../api';

/** A workbook or CSV file: what it would do, with the errors of its rows, then doing it. */
export default function ImportDialog({ onClose }: { onClose: () => void }): ReactElement {
  const { t, i18n } = useTranslation();
  const phone = usePhone();
  const cache = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const template = useMutation({
    mutationFn: () => loadTemplate(i18n.language),
    onSuccess: (blob) => saveBlob('sim-card-template.xlsx', blob),
  });
  const reading = useMutation({ mutationFn: previewImport, meta: { errorInPlace: true } });
  const doing = useMutation({
    mutationFn: ({ chosen, digest }: { chosen: File; digest: string }) => importCards(chosen, digest),
    meta: { errorInPlace: true },
    onSuccess: ({ added, changed, billed }) => {
      void cache.invalidateQueries({ queryKey: CARDS });
      showSuccess(t('sim-cards:import.done', { added, changed, billed }));
      onClose();
    },
  });
  const { data: preview } = reading;
  const error = doing.error ?? reading.error;
  const brings = preview === undefined ? 0 : preview.added + preview.changed + preview.billed;
  const choose = (chosen: File | null): void => {
    if (chosen === null) return;
    setFile(chosen);
    doing.reset();
    reading.mutate(chosen);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      size={820}
      fullScreen={phone}
      title={t('sim-cards:import.title')}
      closeButtonProps={{ 'aria-label': t('base:action.close') }}
      data-testid="sim-import-dialog"
    >
      <Stack gap="sm">
        <Text size="sm">{t('sim-cards:import.about')}</Text>
        <Group>
          <FileButton
            accept=".xls,.xlsx,.csv"
            onChange={choose}
            inputProps={{ 'aria-label': t('base:import.choose'), 'data-testid': 'sim-file' } as object}
          >
            {(props) => (
              <Button
                {...props}
                variant="default"
                leftSection={<IconUpload size={16} aria-hidden />}
                loading={reading.isPending}
                data-autofocus
              >
                {t('base:import.choose')}
              </Button>
            )}
          </FileButton>
          <Button
            variant="subtle"
            leftSection={<IconDownload size={16} aria-hidden />}
            loading={template.isPending}
            onClick={() => template.mutate()}
          >
            {t('base:import.template')}
          </Button>
          {file === null ? null : <Text size="sm">{file.name}</Text>}
        </Group>
        {error === null ? null : (
          <Alert color="red" role="alert">
            {refusalText(error) ?? errorText(error)}
          </Alert>
        )}
        {preview === undefined ? null : <Preview preview={preview} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('base:action.cancel')}
          </Button>
          <Button
            disabled={brings === 0}
            loading={doing.isPending}
            onClick={() =>
              file !== null && preview !== undefined && doing.mutate({ chosen: file, digest: preview.digest })
            }
            data-testid="sim-import-do"
          >
            {t('sim-cards:import.do')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function Preview({ preview }: { preview: ImportPreview }): ReactElement {
  const { t } = useTranslation();
  const { added, changed, unchanged, billed, wrong, suspect, rows, ignored } = preview;
  return (
    <>
      <Text role="status" fw={600} data-testid="sim-import-counts">
        {t('sim-cards:import.counts', { added, changed, unchanged, billed, wrong })}
      </Text>
      {ignored.length === 0 ? null : (
        <Text size="sm">{t('sim-cards:import.ignored', { names: ignored.join(', ') })}</Text>
      )}
      {suspect === 0 ? null : <Text size="sm">{t('sim-cards:range.suspect', { count: suspect })}</Text>}
      {rows.length === 0 ? null : (
        <>
          <Text size="sm">{t('sim-cards:import.wrong')}</Text>
          <div className={page.scroll} tabIndex={0} role="region" aria-label={t('sim-cards:import.faults')}>
            <table className={page.table}>
              <thead>
                <tr>
                  <th scope="col">{t('sim-cards:import.row')}</th>
                  <th scope="col">{t('sim-cards:field.iccid')}</th>
                  <th scope="col">{t('sim-cards:import.faults')}</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <Row key={row.number} row={row} />
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </>
  );
}

function Row({ row }: { row: FaultyRow }): ReactElement {
  const { t, i18n } = useTranslation();
  const fault = (code: string): string => {
    const key = `sim-cards:fault.${code}`;
    return i18n.exists(key) ? t(key) : t('sim-cards:fault.other');
  };
  return (
    <tr data-testid="sim-import-fault">
      <td className="number">{row.number}</td>
      <th scope="row">{row.iccid || '-'}</th>
      <td>
        {row.faults
          .map(({ field, value, code }) => {
            const text = `${t(`sim-cards:field.${field}`)}: ${fault(code)}`;
            return value === '' ? text : `${text} (${value})`;
          })
          .join('; ')}
      </td>
    </tr>
  );
}
