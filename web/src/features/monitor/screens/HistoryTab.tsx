import type { ReactElement } from 'react';
import { HistoryView } from '@/blocks/history/HistoryView';
import { useDevice } from '../components/useDevice';

/** History of the gateway's own points. */
export default function HistoryTab(): ReactElement {
  return <HistoryView device={useDevice().id} fixed />;
}
