import { Button } from '@mantine/core';
import { useRef } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, CODE } from '@/api/errors';
import { showError } from '@/components/notices';
import { useDrafts } from '../draft';
import type { Guard } from './useGuard';
import { useView } from './useView';

/** More than a gateway takes. */
const MAX_BYTES = 16 * 1024 * 1024;

interface Props extends Guard {
  deviceId: number;
  base: string | null;
  leftSection?: ReactNode;
}

/** A file becomes the text of the editor; nothing is saved before it was looked at. */
export function UploadButton({ deviceId, base, leftSection, disabled, title }: Props): ReactElement {
  const { t } = useTranslation();
  const { show } = useView();
  const input = useRef<HTMLInputElement>(null);
  const begin = useDrafts((state) => state.begin);
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    if (file.size > MAX_BYTES) {
      showError(new ApiError({ code: CODE.MESSAGE, msg: t('configuration:file.tooLong') }));
      return;
    }
    const note = t('configuration:file.note', { name: file.name }).slice(0, 200);
    const text = await file.text();
    begin(deviceId, { text, original: text, file: file.name, note, base, from: null });
    show({ view: 'document', version: undefined, edit: true });
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".json,.toml,application/json,application/toml"
        hidden
        disabled={disabled}
        aria-label={t('configuration:action.upload')}
        data-testid="configuration-file"
        onChange={(event) => {
          void take(event.currentTarget.files?.[0]);
          event.currentTarget.value = '';
        }}
      />
      <Button
        variant="default"
        leftSection={leftSection}
        disabled={disabled}
        title={title}
        onClick={() => input.current?.click()}
        data-testid="upload-configuration"
      >
        {t('configuration:action.upload')}
      </Button>
    </>
  );
}
