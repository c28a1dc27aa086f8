import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ReactElement } from 'react';
import { showError } from '@/components/notices';
import { bus } from '@/lib/live';
import { deviceQuery } from '../api';
import type { MonitorPoint } from '../monitorList';
import { CommandDrawer } from './CommandDrawer';

interface Props {
  point: MonitorPoint;
  onClose: () => void;
}

/** The drawer that writes a point, once its gateway is loaded. */
export default function MonitorWrite({ point, onClose }: Props): ReactElement | null {
  const { data, error } = useQuery(deviceQuery(point.device_id));
  useEffect(() => {
    if (error === null || data !== undefined) return;
    showError(error);
    onClose();
  }, [error, data, onClose]);
  return data === undefined ? null : (
    <CommandDrawer source={point} device={data} initial={bus.get(point.dsid)} onClose={onClose} />
  );
}
