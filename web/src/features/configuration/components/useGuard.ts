import { useHindrance } from '@/blocks/devices/useHindrance';
import { useTabDevice } from '@/blocks/devices/useTabDevice';

/** Properties of every control that changes the gateway's configuration: off, with the reason, when the user may not change the gateway. */
export interface Guard {
  disabled: boolean;
  title: string | undefined;
}

export function useGuard(): Guard {
  const hindrance = useHindrance('DeviceManage', useTabDevice());
  return { disabled: hindrance !== '', title: hindrance || undefined };
}
