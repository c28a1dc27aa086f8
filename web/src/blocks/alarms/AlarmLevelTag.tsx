import type { CSSProperties, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { alarmLook } from '@/lib/alarmTypes';
import type { AlarmLevel } from '@/lib/alarmTypes';
import { markColours } from '@/lib/colour';
import classes from '@/components/tag.module.css';

interface Props {
  type: number;
  /** Level of the event, when it has one. */
  level?: number | null;
  /** Of the option alarm_levels. */
  levels: readonly AlarmLevel[];
}

/** Type of an alarm in the colour of its level; a level of the user's own in its own colour and words. */
export function AlarmLevelTag({ type, level = null, levels }: Props): ReactElement {
  const { t } = useTranslation();
  const look = alarmLook(type, level, levels);
  const style: CSSProperties | undefined = look.kind === 'custom' ? markColours(look.colour) : undefined;
  return (
    <span
      className={classes.tag}
      data-level={look.kind === 'known' ? look.level : 'custom'}
      data-type={type}
      style={style}
      data-testid="alarm-tag"
    >
      {look.kind === 'known' ? t(`base:alarmType.${look.type}`) : look.title}
    </span>
  );
}
