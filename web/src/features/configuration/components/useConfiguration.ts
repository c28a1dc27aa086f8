import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';
import { onConfiguration, onDeployment, onResume } from '@/lib/live';
import { configurationQuery } from '../api';
import type { ConfigurationState, DeploymentDetail } from '../api';

/** What a gateway runs, its draft, its last deployment and its newest versions. */
export function useConfiguration(deviceId: number): UseQueryResult<ConfigurationState> {
  return useQuery(configurationQuery(deviceId));
}

/** Put what is pushed about a gateway's configuration into the query cache. */
export function useConfigurationEvents(deviceId: number): void {
  const cache = useQueryClient();
  useEffect(() => {
    const renew = (): void => {
      void cache.invalidateQueries({ queryKey: ['configuration', deviceId] });
      void cache.invalidateQueries({ queryKey: ['deployments', deviceId] });
    };
    const stops = [
      onConfiguration((did) => {
        if (did === deviceId) renew();
      }),
      onDeployment((push) => {
        if (push.did !== deviceId) return;
        const { did: _did, type: _type, ...status } = push;
        cache.setQueryData<DeploymentDetail>(['deployment', push.id], (known) =>
          known ? { ...known, ...status } : known,
        );
        void cache.invalidateQueries({ queryKey: ['deployment', push.id] });
        if (push.check_only !== true) renew();
      }),
      onResume(() => {
        renew();
        void cache.invalidateQueries({ queryKey: ['deployment'] });
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [cache, deviceId]);
}
