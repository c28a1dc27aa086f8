import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ToneText } from '@/components/Tone';
import type { TargetRow } from '../api';
import classes from '../forwarding.module.css';
import { useTargetWords } from './useTargetWords';

interface Props {
  ledger: TargetRow;
  /** The draft has it not any more. */
  isRemoved?: boolean;
  /** The draft has it disabled. */
  isOff?: boolean;
}

/** Name of a target, of what kind it is, and what the draft does with it. */
export function TargetName({ ledger, isRemoved = false, isOff = false }: Props): ReactElement {
  const { t } = useTranslation();
  const { kind } = useTargetWords();
  const isSwitchedOff = isOff && ledger.condition !== 'off';
  return (
    <span>
      {ledger.name}
      <span className={classes.sub}>{kind(ledger.kind)}</span>
      {isRemoved ? <ToneText tone="off">{t('forwarding:draft.removed')}</ToneText> : null}
      {isSwitchedOff ? <ToneText tone="off">{t('forwarding:draft.disabled')}</ToneText> : null}
    </span>
  );
}
