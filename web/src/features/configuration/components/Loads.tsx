import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import classes from '../configuration.module.css';
import { changedLoads, FULL_PERCENT } from '../difference';
import type { PortLoad } from '../difference';

const percent = (value: number | null): string => (value === null ? '–' : `${value.toFixed(value < 10 ? 1 : 0)} %`);

/** How much of each port's time its requests take, before and after, as the gateway reckons. */
export function Loads({ ports }: { ports: readonly PortLoad[] }): ReactElement {
  const { t } = useTranslation();
  const changed = changedLoads(ports);
  if (changed.length === 0) {
    return (
      <Text size="sm" data-testid="loads">
        {t('configuration:deploy.loadSame')}
      </Text>
    );
  }
  return (
    <table className={classes.loads} data-testid="loads">
      <caption className="visually-hidden">{t('configuration:deploy.load')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('configuration:deploy.port')}</th>
          <th scope="col">{t('configuration:deploy.loadBefore')}</th>
          <th scope="col">{t('configuration:deploy.loadAfter')}</th>
        </tr>
      </thead>
      <tbody>
        {changed.map(({ port, before, after }) => (
          <tr key={port}>
            <th scope="row">{port}</th>
            <td>{percent(before)}</td>
            <td className={(after ?? 0) > FULL_PERCENT ? classes.full : undefined}>
              {percent(after)}
              {(after ?? 0) > FULL_PERCENT ? ` · ${t('configuration:deploy.overfull')}` : ''}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
