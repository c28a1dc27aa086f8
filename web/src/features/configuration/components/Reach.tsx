import { Anchor } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConfigurationDifference } from '../api';
import classes from '../configuration.module.css';
import { totalOf } from '../difference';
import { useCountWords } from './useCountWords';
import { usePeriodWords } from './usePeriodWords';

const MAX_PERIODS = 5;

/** The size of a change before it is made: points, what hangs on them, and their periods. */
export function Reach({
  difference,
  onOpen,
}: {
  difference: ConfigurationDifference;
  onOpen: () => void;
}): ReactElement {
  const { t } = useTranslation();
  const periods = usePeriodWords();
  const countWords = useCountWords();
  const { counts } = difference;
  const sections = (['points', 'slaves', 'ports', 'scripts'] as const).filter(
    (name) => name === 'points' || counts[name].added + counts[name].removed + counts[name].changed > 0,
  );
  return (
    <section aria-label={t('configuration:deploy.reach')} data-testid="reach">
      <dl className={classes.facts} style={{ marginTop: 0 }}>
        {sections.map((name) => (
          <div key={name}>
            <dt>{t(`configuration:section.${name}`)}</dt>
            <dd data-testid={`reach-${name}`}>{countWords(counts[name])}</dd>
          </div>
        ))}
        <div>
          <dt>{t('configuration:diff.reach')}</dt>
          <dd>{t('configuration:diff.reached', { points: counts.points_reached, slaves: counts.slaves_reached })}</dd>
        </div>
        {counts.other === 0 ? null : (
          <div>
            <dt>{t('configuration:section.other')}</dt>
            <dd>{t('configuration:diff.fields', { count: counts.other })}</dd>
          </div>
        )}
        {difference.periods.slice(0, MAX_PERIODS).map((change) => (
          <div key={`${change.before_ms}-${change.after_ms}`}>
            <dt>{t('configuration:diff.period')}</dt>
            <dd data-testid="reach-period">{periods(change)}</dd>
          </div>
        ))}
      </dl>
      {totalOf(difference) === 0 ? (
        <p className={classes.hint}>{t('configuration:diff.same')}</p>
      ) : (
        <Anchor component="button" type="button" size="sm" mt={10} onClick={onOpen}>
          {t('configuration:deploy.showAll')}
        </Anchor>
      )}
    </section>
  );
}
