import { Alert, Button, FileButton, Group } from '@mantine/core';
import { IconCamera, IconPhoto } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import classes from '../devices.module.css';
import { detector } from '../detector';

const LOOK_EVERY_MS = 250;

type State = 'idle' | 'looking' | 'refused' | 'nothing';

/** Reads a code with the camera, or from a picture; where the browser cannot it says so, and typing is left. */
export function Scanner({ onText }: { onText: (text: string) => void }): ReactElement {
  const { t } = useTranslation();
  const [state, setState] = useState<State>('idle');
  const can = detector() !== null;
  const read = async (file: File | null): Promise<void> => {
    if (file === null) return;
    const picture = await createImageBitmap(file).catch(() => null);
    const [code] = picture === null ? [] : await (detector()?.detect(picture) ?? []);
    picture?.close();
    if (code === undefined) return setState('nothing');
    setState('idle');
    return onText(code.rawValue);
  };
  if (!can) return <Alert color="gray">{t('devices:scan.cannot')}</Alert>;
  return (
    <>
      {state === 'looking' ? (
        <Camera
          onText={(text) => {
            setState('idle');
            onText(text);
          }}
          onRefused={() => setState('refused')}
        />
      ) : null}
      <Group gap="sm">
        <Button
          variant="default"
          leftSection={<IconCamera size={16} />}
          onClick={() => setState(state === 'looking' ? 'idle' : 'looking')}
          data-testid="scan-camera"
        >
          {t(state === 'looking' ? 'devices:scan.stop' : 'devices:scan.camera')}
        </Button>
        <FileButton accept="image/*" onChange={(file) => void read(file)}>
          {(props) => (
            <Button variant="default" leftSection={<IconPhoto size={16} />} {...props}>
              {t('devices:scan.photo')}
            </Button>
          )}
        </FileButton>
      </Group>
      {state === 'refused' || state === 'nothing' ? (
        <Alert color="yellow" role="alert">
          {t(`devices:scan.${state}`)}
        </Alert>
      ) : null}
    </>
  );
}

function Camera({ onText, onRefused }: { onText: (text: string) => void; onRefused: () => void }): ReactElement {
  const { t } = useTranslation();
  const video = useRef<HTMLVideoElement>(null);
  const callbacks = useRef({ onText, onRefused });
  useEffect(() => {
    callbacks.current = { onText, onRefused };
  });
  useEffect(() => {
    let stream: MediaStream | null = null;
    let over = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      const match =
        video.current === null ? [] : await (detector()?.detect(video.current) ?? Promise.resolve([])).catch(() => []);
      if (over) return;
      if (match[0] !== undefined) return callbacks.current.onText(match[0].rawValue);
      timer = setTimeout(() => void look(), LOOK_EVERY_MS);
    };
    const start = async (): Promise<void> => {
      try {
        const opened = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
        if (over || video.current === null) return opened.getTracks().forEach((track) => track.stop());
        stream = opened;
        video.current.srcObject = opened;
        await video.current.play();
        await look();
      } catch {
        if (!over) callbacks.current.onRefused();
      }
    };
    void start();
    return () => {
      over = true;
      clearTimeout(timer);
      stream?.getTracks().forEach((track) => track.stop());
    };
  }, []);
  return <video ref={video} className={classes.camera} muted playsInline aria-label={t('devices:scan.view')} />;
}
