import { Drawer } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConfigurationState } from '../api';
import { Following } from './Following';
import { Preparing } from './Preparing';
import type { Guard } from './useGuard';
import { useView } from './useView';

interface Props {
  deviceId: number;
  state: ConfigurationState;
  mayManage: boolean;
  guard: Guard;
  online: boolean;
}

/** From what a version would change to how its deployment ended. Both stand in the address. */
export function DeployDrawer({ deviceId, state, mayManage, guard, online }: Props): ReactElement {
  const { t } = useTranslation();
  const { deploy, deployment, show } = useView();
  const phone = useMediaQuery('(max-width: 767px)', false, { getInitialValueInEffect: false });
  const isPreparing = deployment === undefined && deploy !== undefined && mayManage && !guard.disabled;
  return (
    <Drawer
      opened={deployment !== undefined || isPreparing}
      onClose={() => show({ deploy: undefined, deployment: undefined })}
      position={phone ? 'bottom' : 'right'}
      size={phone ? '92%' : 500}
      title={t(isPreparing ? 'configuration:deploy.title' : 'configuration:deploy.followTitle')}
      data-testid="deploy-drawer"
    >
      {deployment !== undefined ? (
        <Following
          key={deployment}
          deviceId={deviceId}
          id={deployment}
          state={state}
          mayManage={mayManage}
          guard={guard}
        />
      ) : isPreparing ? (
        <Preparing key={deploy} deviceId={deviceId} hash={deploy} state={state} online={online} />
      ) : null}
    </Drawer>
  );
}
