import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { formatClock } from '@/lib/time';
import type { CompletenessFigure } from '../api';
import classes from '../overview.module.css';
import { shareText } from '../share';
import { Panel } from './Panel';

const LIST = '/monitor/completeness';

/** In its place until it is counted for the first time. */
export function CountingCard(): ReactElement {
  const { t } = useTranslation();
  return (
    <Panel name="completeness" title={t('overview:completeness.title')}>
      <p className={classes.note} role="status" data-testid="completeness-counting">
        {t('overview:completeness.counting')}
      </p>
    </Panel>
  );
}

/** What was read and what arrived in 24 h, of all gateways together. Of what nobody knows there is no figure. */
export function CompletenessCard({ figure }: { figure: CompletenessFigure }): ReactElement {
  const { t } = useTranslation();
  const { collection, transport, gateways, complete, unknown, from_ms: start, to_ms: end } = figure;
  return (
    <Panel
      name="completeness"
      title={t('overview:completeness.title')}
      all={{ path: LIST, search: { start, end }, text: t('overview:completeness.all') }}
    >
      <dl className={classes.facts}>
        <div>
          <dt>{t('overview:completeness.collection')}</dt>
          <dd className="number" data-testid="collection-share">
            {shareText(collection.percent)}
            <span className={classes.note}>
              {collection.expected === 0
                ? t('overview:completeness.nothing')
                : t('overview:completeness.reads', { good: collection.good, expected: collection.expected })}
            </span>
          </dd>
        </div>
        <div>
          <dt>{t('overview:completeness.transport')}</dt>
          <dd className="number" data-testid="transport-share">
            {shareText(transport.percent)}
            <span className={classes.note}>
              {transport.expected === 0
                ? t('overview:completeness.nothing')
                : t('overview:completeness.batches', { good: transport.good, expected: transport.expected })}
            </span>
          </dd>
        </div>
      </dl>
      <p className={classes.note}>
        {[
          gateways === unknown ? '' : t('overview:completeness.gateways', { complete, judged: gateways - unknown }),
          unknown === 0 ? '' : t('overview:completeness.unknown', { count: unknown }),
          t('overview:asOf', { time: formatClock(figure.as_of_ms) }),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
    </Panel>
  );
}
