import { useTranslation } from 'react-i18next';
import { useSwitchWords } from '@/blocks/live/useWords';
import { formatValue } from '@/lib/numbers';
import type { DataSource, Write } from '../api';

/** 'Pressure setpoint = 1.25 MPa'; of a point that is gone its number. */
export function useWriteWords(sources: ReadonlyMap<number, DataSource>): (write: Write) => string {
  const { t } = useTranslation();
  const words = useSwitchWords();
  return ({ dsid, value }) => {
    const source = sources.get(dsid);
    if (source === undefined) return t('monitor:preset.gone', { dsid });
    return `${source.ds_title} = ${`${formatValue(value ?? null, source, words)} ${source.unit}`.trim()}`;
  };
}
