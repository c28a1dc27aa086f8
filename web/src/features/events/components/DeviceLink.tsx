import type { ReactElement } from 'react';
import { ScreenLink } from '@/components/ScreenLink';

/** Title of a gateway; leads to its page, for who may open that. */
export function DeviceLink({ id, title }: { id: number; title: string }): ReactElement {
  return (
    <ScreenLink path="/deviceDetail/index" search={{ device_id: id }}>
      {title}
    </ScreenLink>
  );
}
