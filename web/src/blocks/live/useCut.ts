import { useEffect, useState } from 'react';
import { isCutOff } from '@/lib/live';
import { onTick } from '@/components/useNow';

/** Has the cloud fallen silent? Then nothing on the screen is known to be so any more. */
export function useCut(): boolean {
  const [cut, setCut] = useState(isCutOff);
  useEffect(() => onTick(() => setCut(isCutOff())), []);
  return cut;
}
