import type { ReactElement } from 'react';
import { useMay } from '@/lib/session';
import { Bell } from './components/Bell';

/** Place of the event notifications in the layouts; nothing for who may see no events. */
export default function Notifications(): ReactElement | null {
  const mayAlarms = useMay('Event');
  const mayOnOff = useMay('DeviceMonitor_Online');
  return mayAlarms || mayOnOff ? <Bell /> : null;
}
