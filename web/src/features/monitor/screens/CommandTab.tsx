import type { ReactElement } from 'react';
import type { DataSource } from '../api';
import { PointTable } from './LiveTab';

const isWritable = (source: DataSource): boolean => source.rw !== 'readonly';

export default function CommandTab(): ReactElement {
  return <PointTable keep={isWritable} emptyTitle="monitor:command.nothing" />;
}
