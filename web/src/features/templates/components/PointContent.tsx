import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Trouble } from '@/components/Trouble';
import { protocolsQuery } from '../api';
import type { Content, TemplateRow } from '../api';
import { pointColumns } from '../model/columns';
import { linesOf, nameFaults } from '../model/lines';
import type { Line } from '../model/lines';
import { LineSheet } from './LineSheet';
import { SaveBar } from './SaveBar';
import { useContent } from './useContent';

export interface ContentProps {
  node: TemplateRow;
  /** The version that is shown; only the newest is changed. */
  number: number;
  onDirty: (isDirty: boolean) => void;
}

const MOST_POINTS = 5000;
const FRESH = { name: 'point1' };

const editOf = (content: Content): readonly Line[] => linesOf(content, 'points');
const contentOf = (lines: readonly Line[]): Content => ({ points: lines.map(({ fields }) => fields) });

/** The points of a point template. */
export function PointContent({ node, number, onDirty }: ContentProps): ReactElement {
  const { t, i18n } = useTranslation();
  const { data: protocols } = useQuery(protocolsQuery);
  const content = useContent(node, number, editOf, contentOf);
  const form = protocols?.find(({ name }) => name === node.protocol);
  const columns = useMemo(() => pointColumns(t, form, i18n.language), [t, form, i18n.language]);
  useEffect(() => {
    onDirty(content.isDirty);
    return () => onDirty(false);
  }, [content.isDirty, onDirty]);
  const { edit } = content;
  if (content.error !== null) return <Trouble error={content.error} onRetry={content.retry} />;
  if (edit === undefined) return <PageSkeleton />;
  const mayChange = node.writes && (content.isDirty || number === node.newest);
  const faulty = nameFaults(edit, false).size;
  return (
    <>
      <SaveBar
        isDirty={content.isDirty}
        isSaving={content.isSaving}
        hindrance={faulty > 0 ? t('templates:faulty', { count: faulty }) : ''}
        onSave={content.save}
        onDiscard={content.discard}
      />
      <LineSheet
        key={`${content.at}/${content.round}`}
        name="template-points"
        label={t('templates:points')}
        lines={edit}
        columns={columns}
        onChange={mayChange ? content.change : undefined}
        fresh={FRESH}
        mostRows={MOST_POINTS}
        height="max(360px, calc(100dvh - 340px))"
        empty={t('templates:noPoints')}
      />
    </>
  );
}
