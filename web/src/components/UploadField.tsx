import { Button, CloseButton, FileButton, Group, Input } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import type { DragEvent, ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { acceptOf, formOf, HEAD_BYTES, ruleArgs, UPLOAD_RULES, uploadFault } from '@/lib/uploads';
import type { PictureForm, UploadFault, UploadKind, UploadRule } from '@/lib/uploads';
import { errorText } from './notices';
import { refusalText } from './refusal';
import classes from './upload.module.css';

interface Props {
  kind: UploadKind;
  label: string;
  /** Addresses of what is uploaded, in order. */
  value: readonly string[];
  onChange: (urls: readonly string[]) => void;
  /** Send a file that passed; answers with its address. */
  upload: (file: File) => Promise<string>;
  /** One picture is replaced by the next; more are a list. */
  max?: number;
  error?: ReactNode;
  disabled?: boolean;
}

/** Pictures of one use: chosen or dropped, checked here by the cloud's rules, uploaded, shown. */
export function UploadField({
  kind,
  label,
  value,
  onChange,
  upload,
  max = 1,
  error,
  disabled = false,
}: Props): ReactElement {
  const { t } = useTranslation();
  const rule: UploadRule = UPLOAD_RULES[kind];
  const [fault, setFault] = useState('');
  const [over, setOver] = useState(false);
  const hint = useId();
  const reset = useRef<() => void>(null);
  const sending = useMutation({
    meta: { errorInPlace: true },
    mutationFn: async (file: File) => {
      const newFault = await faultOf(rule, file);
      if (newFault !== null) throw new Refused(t(`base:refusal.file.${newFault.reason}`, newFault.args));
      return upload(file);
    },
    onMutate: () => setFault(''),
    onSuccess: (url) => onChange(max === 1 ? [url] : [...value, url]),
    onError: (refused) =>
      setFault(
        refused instanceof Refused ? refused.message : (refusalText(refused, ruleArgs(rule)) ?? errorText(refused)),
      ),
    onSettled: () => reset.current?.(),
  });
  const isFull = max > 1 && value.length >= max;
  const isOff = disabled || isFull || sending.isPending;
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer.files[0];
    if (file !== undefined && !isOff) sending.mutate(file);
  };
  return (
    <Input.Wrapper label={label} labelElement="div" error={fault || error} errorProps={{ role: 'alert' }}>
      <div
        className={classes.field}
        data-over={over || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(!isOff);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
        data-testid={`upload-${kind}`}
      >
        {value.map((url, at) => (
          <figure key={url} className={classes.picture} data-kind={kind}>
            <img src={url} alt={t('base:upload.picture', { name: label, number: at + 1 })} />
            <CloseButton
              size={24}
              disabled={disabled}
              aria-label={t('base:upload.remove', { name: label, number: at + 1 })}
              onClick={() => onChange(value.filter((each) => each !== url))}
              data-testid="upload-remove"
            />
          </figure>
        ))}
        <Group gap="sm">
          <FileButton
            onChange={(file) => file !== null && sending.mutate(file)}
            accept={acceptOf(rule)}
            resetRef={reset}
            disabled={isOff}
          >
            {(props) => (
              <Button
                {...props}
                variant="default"
                leftSection={<IconUpload size={16} stroke={1.6} aria-hidden />}
                loading={sending.isPending}
                disabled={isOff}
                aria-label={t('base:upload.choose', { name: label })}
                aria-describedby={hint}
                data-testid="upload-choose"
              >
                {value.length > 0 && max === 1 ? t('base:upload.replace') : t('base:upload.add')}
              </Button>
            )}
          </FileButton>
          <span id={hint} className={classes.hint}>
            {rule.side === undefined
              ? t('base:upload.rule', ruleArgs(rule))
              : t('base:upload.ruleSquare', ruleArgs(rule))}
            {max > 1 ? ` ${t('base:upload.most', { count: value.length, most: max })}` : ''}
          </span>
        </Group>
      </div>
    </Input.Wrapper>
  );
}

/** A file that breaks a rule; the message is in the user's words. */
class Refused extends Error {
  override readonly name = 'Refused';
}

async function faultOf(rule: UploadRule, file: File): Promise<UploadFault | null> {
  const form = formOf(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()));
  const early = uploadFault(rule, { size: file.size, form, pixels: null });
  if (early !== null || rule.side === undefined) return early;
  return uploadFault(rule, { size: file.size, form, pixels: await pixelsOf(file, form) });
}

/** Pixels of a picture; 0 x 0 for one that this browser cannot read. */
async function pixelsOf(file: File, form: PictureForm | null): Promise<{ width: number; height: number } | null> {
  if (form === 'svg') return null;
  try {
    const bitmap = await createImageBitmap(file);
    const { width, height } = bitmap;
    bitmap.close();
    return { width, height };
  } catch (error) {
    if (error instanceof DOMException) return { width: 0, height: 0 };
    throw error;
  }
}
