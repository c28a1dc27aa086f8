import type { ReactElement } from 'react';
import { useScreenLink } from '@/lib/navigation';
import { useMay } from '@/lib/session';

/** Title of a gateway; leads to its page, for who may open that. */
export function DeviceLink({ id, title }: { id: number; title: string }): ReactElement {
  const may = useMay('Monitor.DeviceMonitor');
  const link = useScreenLink('/deviceDetail/index', { device_id: id });
  return may ? <a {...link}>{title}</a> : <>{title}</>;
}
