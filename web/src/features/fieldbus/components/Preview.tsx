import { Input } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyText } from '@/components/CopyText';
import { frameOf, hexText, isCustom } from '../model/frame';
import type { Part, Target } from '../model/frame';
import { BadContent } from '../model/message';
import type { Moment } from '../model/message';
import type { Values } from '../model/sections';
import { useWords } from '../useWords';
import classes from '../fieldbus.module.css';

interface Props {
  task: Values;
  target: Target | undefined;
  moment: (zone: string) => Moment;
}

/** The bytes that the task would send now, part by part; or why there are none. */
export function Preview({ task, target, moment }: Props): ReactElement {
  const { t } = useTranslation();
  const words = useWords();
  const made = partsOf();
  const all = typeof made === 'string' ? '' : hexText(made.flatMap(({ bytes }) => bytes));
  const isOnTcp = !isCustom(task) && target?.isSerial !== true;
  return (
    <Input.Wrapper label={t('fieldbus:preview.title')} data-testid="preview">
      {typeof made === 'string' ? (
        <p role="status">{made}</p>
      ) : (
        <>
          <div className={classes.parts}>
            {made.map(({ name, bytes }) => (
              <span key={name} className={classes.part}>
                <span className={classes.partName}>{t(`fieldbus:part.${name}`)}</span>
                <span className={classes.hex}>{hexText(bytes)}</span>
              </span>
            ))}
          </div>
          <CopyText text={all} />
          <Input.Description>
            {t('fieldbus:preview.length', { count: made.reduce((sum, { bytes }) => sum + bytes.length, 0) })}
            {isOnTcp ? ` ${t('fieldbus:preview.tcp')}` : ''}
            {task.content === 'real_time' ? ` ${t('fieldbus:preview.time')}` : ''}
          </Input.Description>
        </>
      )}
    </Input.Wrapper>
  );

  function partsOf(): readonly Part[] | string {
    try {
      return frameOf(task, target, moment(String(task.time_zone)));
    } catch (error) {
      if (!(error instanceof BadContent)) throw error;
      return words.broken(error);
    }
  }
}
