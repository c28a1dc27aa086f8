import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useReasonWords } from '@/blocks/deployment/useReasonWords';
import { ruleText } from '@/components/ruleText';
import { ScreenLink } from '@/components/ScreenLink';
import { endedDeploymentQuery } from '../api';
import classes from '../devices.module.css';

interface Props {
  deviceId: number;
  deployment: { id: string; hash: string; code: string; detail: string };
}

const MAX_FAULTS = 5;

/** Why the gateway did not take what was deployed, each fault with the way to its field. */
export default function WhyFailed({ deviceId, deployment }: Props): ReactElement {
  const { t } = useTranslation();
  const reason = useReasonWords();
  const { data } = useQuery(endedDeploymentQuery(deployment.id));
  const tab = { device_id: deviceId, tab: 'configuration' };
  const faults = data?.faults ?? [];
  const why = reason(deployment.code, faults.length > 0 ? '' : deployment.detail);
  return (
    <div data-testid="wizard-why">
      {why === '' ? null : <div>{why}</div>}
      {faults.length === 0 ? null : (
        <ul className={classes.faults}>
          {faults.slice(0, MAX_FAULTS).map(({ field, rule }) => (
            <li key={`${field} ${rule}`}>
              <ScreenLink
                path="/deviceDetail/index"
                search={{ ...tab, cfg: 'document', cfg_version: deployment.hash, cfg_field: field }}
              >
                {field}
              </ScreenLink>{' '}
              {ruleText(rule)}
            </li>
          ))}
        </ul>
      )}
      {faults.length > MAX_FAULTS ? (
        <div>{t('devices:arrival.moreFaults', { count: faults.length - MAX_FAULTS })}</div>
      ) : null}
      <ScreenLink path="/device/gateway/slavedevice" search={{ device_id: deviceId }}>
        {t('devices:slavesAndPoints')}
      </ScreenLink>
      {' · '}
      <ScreenLink path="/deviceDetail/index" search={{ ...tab, deployment: deployment.id }}>
        {t('devices:arrival.deployment')}
      </ScreenLink>
    </div>
  );
}
