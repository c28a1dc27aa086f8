import { Button, SegmentedControl } from '@mantine/core';
import { IconArrowBarUp } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Trouble } from '@/components/Trouble';
import { useTab } from '@/lib/tab';
import { nodesQuery, protocolsQuery } from '../api';
import { portColumns, slaveColumns } from '../model/columns';
import { contentOf, editOf, faultyDefaults, pinnedToNewest, pins } from '../model/gateway';
import { nameFaults, nameOf } from '../model/lines';
import type { Fields } from '../model/lines';
import { faultyPoints } from '../model/points';
import { optionsOf, withProtocolDefaults } from '../model/protocolDefaults';
import { protocolWord } from '@/blocks/templates/protocolWord';
import { LineSheet } from './LineSheet';
import { OwnPoints } from './OwnPoints';
import type { ContentProps } from './PointContent';
import { SaveBar } from './SaveBar';
import { useContent } from './useContent';

const DefaultFields = lazy(() => import('./DefaultFields'));

const PARTS = ['slaves', 'ports', 'points', 'defaults'] as const;
type Part = (typeof PARTS)[number];

const MAX: Readonly<Record<'slaves' | 'ports' | 'points', number>> = { slaves: 1000, ports: 1000, points: 5000 };
const HEIGHT = 'max(320px, calc(100dvh - 380px))';

/** Ports, slaves with their point templates, own points and defaults of a gateway template. */
export default function GatewayContent({ node, number }: ContentProps): ReactElement {
  const { t, i18n } = useTranslation();
  const { search, setSearch } = useTab();
  const part: Part = PARTS.find((each) => each === search.part) ?? 'slaves';
  const { data: protocols } = useQuery(protocolsQuery);
  const { data: templates } = useQuery(nodesQuery('point'));
  const content = useContent(node, number, editOf, contentOf);
  const { edit } = content;
  const ports = edit?.ports.map(nameOf).join('\n') ?? '';
  const pinned = useMemo(() => pins(templates ?? [], edit?.slaves ?? []), [templates, edit?.slaves]);
  const spoken = (edit?.slaves ?? []).map(({ fields }) => String(fields.protocol ?? '')).join('\n');
  // The columns stay as they are while nothing but other cells change.
  // oxlint-disable-next-line react/exhaustive-deps
  const options = useMemo(() => optionsOf(edit?.slaves ?? [], protocols ?? []), [spoken, protocols]);
  const columns = useMemo(() => {
    if (part === 'ports') return portColumns(t);
    return slaveColumns(t, {
      options,
      isChinese: i18n.language.startsWith('zh'),
      ports: ports.split('\n'),
      protocols: (protocols ?? []).map(({ name }) => ({ value: name, label: protocolWord(name) })),
      templates: pinned,
    });
  }, [part, t, i18n.language, ports, protocols, pinned, options]);
  const fresh = useMemo((): Fields => freshOf(part, ports.split('\n')[0] ?? ''), [part, ports]);
  if (content.error !== null) return <Trouble error={content.error} onRetry={content.retry} />;
  if (edit === undefined) return <PageSkeleton />;
  const mayChange = node.writes && (content.isDirty || number === node.newest);
  const faulty =
    nameFaults(edit.ports, true).size +
    nameFaults(edit.slaves, true).size +
    faultyPoints(edit.points) +
    faultyDefaults(edit.defaults);
  const isBehind = pinnedToNewest(templates ?? [], edit.slaves).some((line, at) => line !== edit.slaves[at]);
  return (
    <>
      <SaveBar
        isDirty={content.isDirty}
        isSaving={content.isSaving}
        hindrance={faulty > 0 ? t('templates:faulty', { count: faulty }) : ''}
        onSave={content.save}
        onDiscard={content.discard}
      >
        <SegmentedControl
          size="xs"
          value={part}
          onChange={(next) => setSearch({ part: next === 'slaves' ? undefined : next })}
          data={PARTS.map((value) => ({ value, label: t(`templates:part.${value}`) }))}
          aria-label={t('templates:part.label')}
          data-testid="template-part"
        />
        {mayChange && isBehind ? (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconArrowBarUp size={14} aria-hidden />}
            onClick={() => content.change({ ...edit, slaves: pinnedToNewest(templates ?? [], edit.slaves) })}
            data-testid="template-newest"
          >
            {t('templates:toNewest')}
          </Button>
        ) : null}
      </SaveBar>
      {part === 'defaults' ? (
        <Suspense fallback={<PageSkeleton rows={2} />}>
          <DefaultFields
            defaults={edit.defaults}
            onChange={mayChange ? (defaults) => content.change({ ...edit, defaults }) : undefined}
          />
        </Suspense>
      ) : part === 'points' ? (
        <OwnPoints
          key={`${content.at}/${content.round}`}
          slaves={edit.slaves}
          points={edit.points}
          protocols={protocols ?? []}
          onChange={mayChange ? (points) => content.change({ ...edit, points }) : undefined}
          maxRows={MAX.points}
          height={HEIGHT}
        />
      ) : (
        <LineSheet
          key={`${part}/${content.at}/${content.round}`}
          name={`template-${part}`}
          label={t(`templates:part.${part}`)}
          lines={edit[part]}
          columns={columns}
          onChange={
            mayChange
              ? (lines) =>
                  content.change({
                    ...edit,
                    ...(part === 'slaves'
                      ? withProtocolDefaults(edit.slaves, lines, edit.ports, protocols ?? [])
                      : { [part]: lines }),
                  })
              : undefined
          }
          fresh={fresh}
          dash
          maxRows={MAX[part]}
          height={HEIGHT}
          empty={t(`templates:nothingIn.${part}`)}
        />
      )}
    </>
  );
}

function freshOf(part: Part, port: string): Fields {
  return part === 'ports' ? { name: 'com1', type: 'COM' } : { name: 'slave1', port };
}
