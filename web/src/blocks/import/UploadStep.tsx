import { Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { IconDownload, IconUpload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { DragEvent, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { datedName, saveBlob } from '@/components/clipboard';
import { errorText } from '@/components/notices';
import { refusalText } from '@/components/refusal';
import type { ImportEndpoints, ImportState } from './endpoints';
import classes from './import.module.css';
import { fileFault, MAX_FILE_MIB } from './mapping';

/** Choose or drop a workbook; what cannot be one is not sent. */
export function UploadStep({
  endpoints,
  onUploaded,
}: {
  endpoints: ImportEndpoints;
  onUploaded: (state: ImportState) => void;
}): ReactElement {
  const { t, i18n } = useTranslation();
  const [over, setOver] = useState(false);
  const [fault, setFault] = useState('');
  const send = useMutation({
    meta: { errorInPlace: true },
    mutationFn: endpoints.upload,
    onSuccess: onUploaded,
    onError: (error) => setFault(refusalText(error) ?? errorText(error)),
  });
  const template = useMutation({
    mutationFn: () => endpoints.template(i18n.language === 'en' ? 'en' : 'zh'),
    onSuccess: (blob) => saveBlob(datedName(t('base:import.fileOf.template'), 'xlsx'), blob),
  });
  const take = (file: File | null | undefined): void => {
    if (file === null || file === undefined || send.isPending) return;
    const newFault = fileFault(file);
    setFault(newFault === null ? '' : t(`base:import.file.${newFault}`, { most: MAX_FILE_MIB }));
    if (newFault === null) send.mutate(file);
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files[0]);
  };
  return (
    <Stack gap="md">
      <div
        className={classes.drop}
        data-over={over || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
        data-testid="import-drop"
      >
        <IconUpload size={28} stroke={1.4} aria-hidden />
        <Text size="sm">{t('base:import.drop')}</Text>
        <FileButton
          onChange={take}
          accept=".xls,.xlsx"
          inputProps={{ 'aria-label': t('base:import.choose'), 'data-testid': 'import-file' } as object}
        >
          {(props) => (
            <Button {...props} loading={send.isPending} data-autofocus data-testid="import-choose">
              {t('base:import.choose')}
            </Button>
          )}
        </FileButton>
        <Text size="xs" c="dimmed">
          {t('base:import.rule', { most: MAX_FILE_MIB })}
        </Text>
      </div>
      <div role="alert">
        {fault === '' ? null : (
          <Text size="sm" c="red" data-testid="import-fault">
            {fault}
          </Text>
        )}
      </div>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {t('base:import.templateHint')}
        </Text>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          loading={template.isPending}
          onClick={() => template.mutate()}
          data-testid="import-template"
        >
          {t('base:import.template')}
        </Button>
      </Group>
    </Stack>
  );
}
