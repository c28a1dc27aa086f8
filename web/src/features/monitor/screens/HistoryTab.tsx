import type { ReactElement } from 'react';
import { HistoryView } from '@/blocks/history/HistoryView';
import { useTab } from '@/lib/tab';

/** History of the gateway's own points. */
export default function HistoryTab(): ReactElement {
  const { search } = useTab();
  return <HistoryView device={Number(search.device_id)} fixed />;
}
