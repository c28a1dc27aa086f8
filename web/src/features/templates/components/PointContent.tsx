import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PageSkeleton } from '@/components/PageSkeleton';
import type { Point } from '@/blocks/points/point';
import { Trouble } from '@/components/Trouble';
import { protocolsQuery } from '../api';
import type { Content, TemplateRow } from '../api';
import { faultyPoints, pointsOf, rowsOf } from '../model/points';
import { PointRows } from './PointRows';
import { SaveBar } from './SaveBar';
import { useContent } from './useContent';

export interface ContentProps {
  node: TemplateRow;
  /** The version that is shown; only the newest is changed. */
  number: number;
}

const MAX_POINTS = 5000;
const contentOf = (points: readonly Point[]): Content => ({ points: rowsOf(points) });

/** The points of a point template. */
export default function PointContent({ node, number }: ContentProps): ReactElement {
  const { t } = useTranslation();
  const { data: protocols } = useQuery(protocolsQuery);
  const content = useContent(node, number, pointsOf, contentOf);
  const form = protocols?.find(({ name }) => name === node.protocol);
  const { edit } = content;
  if (content.error !== null) return <Trouble error={content.error} onRetry={content.retry} />;
  if (edit === undefined) return <PageSkeleton />;
  const mayChange = node.writes && (content.isDirty || number === node.newest);
  const faulty = faultyPoints(edit);
  return (
    <>
      <SaveBar
        isDirty={content.isDirty}
        isSaving={content.isSaving}
        hindrance={faulty > 0 ? t('templates:faulty', { count: faulty }) : ''}
        onSave={content.save}
        onDiscard={content.discard}
      />
      <PointRows
        key={`${content.at}/${content.round}`}
        name="template-points"
        label={t('templates:points')}
        points={edit}
        form={form}
        onChange={mayChange ? content.change : undefined}
        maxRows={MAX_POINTS}
        height="max(360px, calc(100dvh - 340px))"
        empty={t('templates:noPoints')}
      />
    </>
  );
}
