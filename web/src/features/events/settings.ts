/** What a user wants to be shown and to hear of events. A tone belongs to its notification. */
export interface Notifications {
  alarm: boolean;
  onoff: boolean;
  alarmTone: boolean;
  onoffTone: boolean;
}

export const DEFAULTS: Readonly<Notifications> = { alarm: false, onoff: false, alarmTone: true, onoffTone: false };

/** Does anything of this sound? */
export function wantsTone({ alarm, onoff, alarmTone, onoffTone }: Notifications): boolean {
  return (alarm && alarmTone) || (onoff && onoffTone);
}

/** Only kinds of events that the user may see. */
export function allowed(settings: Notifications, mayAlarms: boolean, mayOnOff: boolean): Notifications {
  return { ...settings, alarm: settings.alarm && mayAlarms, onoff: settings.onoff && mayOnOff };
}
