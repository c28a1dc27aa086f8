import { Alert, Button, FileButton, Group, Modal, Progress, Stack, Text } from '@mantine/core';
import { IconFile } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { DragEvent, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '@/api/errors';
import { sizeText } from '@/blocks/jobs/jobs';
import { errorText, showSuccess } from '@/components/notices';
import { ScreenLink } from '@/components/ScreenLink';
import { FILES, keysQuery, uploadFirmware } from '../api';
import type { KeyRow } from '../api';
import classes from '../firmware.module.css';
import { readHead } from '../firmwareFile';
import type { FileHead, Manifest } from '../firmwareFile';

interface Chosen {
  file: File;
  head: FileHead;
}

/** Refusals by the key, which leads to the list of keys; by the file, which is to be made anew. */
const OF_KEY: ReadonlySet<string> = new Set(['no_key', 'key']);
const OF_FILE: ReadonlySet<string> = new Set(['name', 'format', 'size', 'signature', 'hash']);
/** Of the last percent nothing is heard: the cloud checks what it has. */
const SENT = 1;

/** A file is chosen, says what it is, and is sent; who refuses it says why and where to go. */
export default function UploadDialog({ onClose }: { onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const { data: keys } = useQuery(keysQuery());
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [share, setShare] = useState(0);
  const [over, setOver] = useState(false);
  const control = useRef<AbortController>(null);
  useEffect(() => () => control.current?.abort(), []);
  const sending = useMutation({
    meta: { errorInPlace: true },
    mutationFn: (file: File) => {
      control.current = new AbortController();
      setShare(0);
      return uploadFirmware(file, { signal: control.current.signal, onShare: setShare });
    },
    onSuccess: (row) => {
      showSuccess(t('firmware:upload.done', { what: `${row.name} ${row.version_text}` }));
      onClose();
    },
    onSettled: () => void cache.invalidateQueries({ queryKey: FILES }),
  });
  const choose = async (file: File | null): Promise<void> => {
    if (file === null || sending.isPending) return;
    sending.reset();
    setChosen({ file, head: await readHead(file) });
  };
  const refusal = refusalOf(chosen?.head ?? null, keys, sending.error);
  const mayGo = chosen !== null && refusal === null && keys !== undefined && keys.length > 0;
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    void choose(event.dataTransfer.files[0] ?? null);
  };
  return (
    <Modal
      opened
      onClose={() => !sending.isPending && onClose()}
      title={t('firmware:upload.title')}
      size="lg"
      closeButtonProps={{ 'aria-label': t('base:action.close') }}
      data-testid="firmware-upload-dialog"
    >
      <Stack gap="md">
        {keys?.length === 0 ? <Hint kind="no_key" text={t('base:refusal.firmware.no_key')} /> : null}
        <div
          className={classes.drop}
          data-over={over || undefined}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={onDrop}
        >
          <Group gap="sm">
            <FileButton accept=".bin" onChange={(file) => void choose(file)} disabled={sending.isPending}>
              {(props) => (
                <Button
                  {...props}
                  variant="default"
                  leftSection={<IconFile size={16} stroke={1.6} aria-hidden />}
                  disabled={sending.isPending}
                  data-autofocus
                  data-testid="firmware-choose"
                >
                  {t('firmware:upload.choose')}
                </Button>
              )}
            </FileButton>
            <Text size="sm">{chosen === null ? t('firmware:upload.drop') : chosen.file.name}</Text>
          </Group>
        </div>
        {chosen?.head.manifest === null || chosen === null ? null : (
          <ManifestFacts manifest={chosen.head.manifest} size={chosen.file.size} />
        )}
        {refusal === null ? null : <Refused refusal={refusal} head={chosen?.head ?? null} error={sending.error} />}
        {sending.isPending ? (
          <div role="status" data-testid="firmware-progress">
            <Progress value={share * 100} aria-label={t('firmware:upload.title')} />
            <Text size="sm" mt={4}>
              {share >= SENT
                ? t('firmware:upload.checking')
                : t('firmware:upload.sent', { percent: Math.floor(share * 100) })}
            </Text>
          </div>
        ) : null}
        <Group justify="flex-end">
          <Button
            variant="default"
            onClick={() => (sending.isPending ? control.current?.abort() : onClose())}
            data-testid="firmware-cancel"
          >
            {t('base:action.cancel')}
          </Button>
          <Button
            disabled={!mayGo}
            loading={sending.isPending}
            onClick={() => chosen !== null && sending.mutate(chosen.file)}
            data-testid="firmware-send"
          >
            {t('firmware:upload.send')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Why a file is not taken, as a reason of the API: by what it says of itself, else by what the cloud said; null for no reason. */
function refusalOf(head: FileHead | null, keys: readonly KeyRow[] | undefined, error: unknown): string | null {
  if (head !== null && head.fault !== null) return head.fault;
  if (head !== null && keys !== undefined && keys.length > 0) {
    if (!keys.some(({ key_id }) => key_id === head.manifest?.key_id)) return 'key';
  }
  if (error === null || isGivenUp(error)) return null;
  return error instanceof ApiError ? error.facts.reason.replace(/^firmware\./, '') || error.facts.cause : 'reply';
}

/** The user has ended the upload. */
function isGivenUp(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError';
}

function Refused({ refusal, head, error }: { refusal: string; head: FileHead | null; error: unknown }): ReactElement {
  const { t } = useTranslation();
  const key_id = head?.manifest?.key_id ?? '';
  const text =
    refusal === 'key'
      ? t('firmware:upload.refused.key', { key_id })
      : refusal === 'name' || (head?.fault ?? null) !== null
        ? t(`firmware:upload.refused.${refusal}`)
        : errorText(error);
  return <Hint kind={refusal} text={text} />;
}

/** A refusal with what to do about it. */
function Hint({ kind, text }: { kind: string; text: string }): ReactElement {
  const { t } = useTranslation();
  return (
    <Alert color="red" role="alert" data-testid="firmware-refused" data-reason={kind}>
      <Text size="sm" fw={600}>
        {text}
      </Text>
      {OF_KEY.has(kind) ? (
        <Text size="sm">
          <ScreenLink path="/ota/firmware" search={{ tab: 'keys' }} data-testid="firmware-to-keys">
            {t('firmware:upload.toKeys')}
          </ScreenLink>
        </Text>
      ) : null}
      {OF_FILE.has(kind) ? <Text size="sm">{t('firmware:upload.remake')}</Text> : null}
      {kind === 'network' ? <Text size="sm">{t('firmware:upload.cutOff')}</Text> : null}
    </Alert>
  );
}

function ManifestFacts({ manifest, size }: { manifest: Manifest; size: number }): ReactElement {
  const { t } = useTranslation();
  const facts: readonly (readonly [name: string, title: string, value: string])[] = [
    ['name', t('firmware:file.name'), manifest.name],
    ['type', t('firmware:field.upgrade_type'), t(`firmware:type.${manifest.upgrade_type}`)],
    ['version', t('firmware:file.version'), `${manifest.version_text} (${manifest.version})`],
    ['models', t('firmware:file.models'), manifest.models.join(', ')],
    ['security', t('firmware:file.security_version'), String(manifest.security_version)],
    ['agent', t('firmware:file.min_agent'), manifest.min_agent],
    ['key', t('firmware:file.signature'), manifest.key_id],
    ['size', t('firmware:file.size'), sizeText(size)],
  ];
  return (
    <dl className={classes.facts} style={{ marginTop: 0 }} data-testid="firmware-manifest">
      {facts.map(([name, title, value]) => (
        <div key={name} data-fact={name}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
