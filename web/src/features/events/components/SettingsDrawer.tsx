import { Button, Drawer, Stack, Switch, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { setMuted, tryTone, useSound } from '@/lib/sounds';
import type { Tone } from '@/lib/sounds';
import classes from '../events.module.css';
import type { Notifications } from '../settings';
import type { Settings } from './useSettings';

/** Which events are shown and heard. Every switch counts at once. */
export default function SettingsDrawer({
  settings,
  onClose,
}: {
  settings: Settings;
  onClose: () => void;
}): ReactElement {
  const { t } = useTranslation();
  const muted = useSound((sound) => sound.muted);
  return (
    <Drawer opened onClose={onClose} title={t('events:settings.title')} size={380} data-testid="events-settings-drawer">
      <Stack gap="lg">
        {settings.mayAlarms ? <Kind settings={settings} kind="alarm" tone="alarmTone" trial="alarm" /> : null}
        {settings.mayOnOff ? <Kind settings={settings} kind="onoff" tone="onoffTone" trial="went" /> : null}
        <section className={classes.kind} aria-label={t('events:settings.here')}>
          <Switch
            label={t('events:settings.mute')}
            description={t('events:settings.muteText')}
            checked={muted}
            onChange={(event) => setMuted(event.currentTarget.checked)}
            data-testid="set-muted"
          />
        </section>
      </Stack>
    </Drawer>
  );
}

interface KindProps {
  settings: Settings;
  kind: 'alarm' | 'onoff';
  tone: 'alarmTone' | 'onoffTone';
  trial: Tone;
}

function Kind({ settings: { chosen, isLoaded, change }, kind, tone, trial }: KindProps): ReactElement {
  const { t } = useTranslation();
  const set = (name: keyof Notifications) => (event: { currentTarget: { checked: boolean } }) =>
    change({ [name]: event.currentTarget.checked });
  return (
    <section className={classes.kind} aria-label={t(`events:settings.${kind}`)}>
      <Switch
        label={t(`events:settings.${kind}`)}
        description={t(`events:settings.${kind}Text`)}
        checked={chosen[kind]}
        disabled={!isLoaded}
        onChange={set(kind)}
        data-testid={`set-${kind}`}
      />
      <div className={classes.toneRow}>
        <Switch
          label={t(`events:settings.${tone}`)}
          description={chosen[kind] ? undefined : t('events:settings.toneNeeds')}
          checked={chosen[tone]}
          disabled={!isLoaded}
          onChange={set(tone)}
          data-testid={`set-${tone}`}
        />
        <Try tone={trial} name={t(`events:settings.${tone}`)} />
      </div>
    </section>
  );
}

/** A sound that was asked for is heard here, muted or not; or it is said why not. */
function Try({ tone, name }: { tone: Tone; name: string }): ReactElement {
  const { t } = useTranslation();
  const [failed, setFailed] = useState(false);
  return (
    <div>
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<IconPlayerPlay size={14} />}
        onClick={() => void tryTone(tone).then((state) => setFailed(state !== 'ready'))}
        aria-label={t('events:settings.tryOne', { name })}
        data-testid={`try-${tone}`}
      >
        {t('events:settings.try')}
      </Button>
      {failed ? (
        <Text size="xs" c="red" role="alert">
          {t('events:sound.refused')}
        </Text>
      ) : null}
    </div>
  );
}
