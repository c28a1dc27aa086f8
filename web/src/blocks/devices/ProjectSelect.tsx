import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import * as sdk from '@/api/generated/sdk.gen';
import { call } from '@/api/http';
import { projectTree } from '@/lib/projectTree';
import type { TreeNode } from '@/lib/tree';
import { FilterSelect } from '@/components/FilterSelect';

const STALE_MS = 30_000;
/** Of a level, as wide as two letters. */
const INDENT = '\u2003';

interface Props {
  /** Id of a group or project; '' for all. */
  value: string;
  onChange: (value: string | undefined) => void;
  /** Also offers devices in no project, as '0'. */
  withNone?: boolean;
  w?: number | string | Record<string, number | string>;
  testId?: string;
}

/** Filter by one group or project with all below it; not drawn when there is none to choose. */
export function ProjectSelect({ value, onChange, withNone = false, w = 200, testId }: Props): ReactElement | null {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ['project'],
    queryFn: ({ signal }) => call(sdk.listProjects({ signal })),
    staleTime: STALE_MS,
    meta: { errorInPlace: true },
  });
  const rows = useMemo(() => {
    if (data === undefined || data.nodes.length === 0) return data && [];
    return [
      ...listed(projectTree(data.nodes)),
      ...(withNone ? [{ value: '0', label: t('base:picker.noProject') }] : []),
    ];
  }, [data, withNone, t]);
  return (
    <FilterSelect
      value={value}
      onChange={onChange}
      rows={rows}
      label={t('base:picker.project')}
      placeholder={t('base:picker.allProjects')}
      w={w}
      testId={testId}
    />
  );
}

/** The tree as lines, deeper ones indented. */
export function listed(nodes: readonly TreeNode[], depth = 0): { value: string; label: string }[] {
  return nodes.flatMap(({ id, label, children = [] }) => [
    { value: id, label: `${INDENT.repeat(depth)}${label}` },
    ...listed(children, depth + 1),
  ]);
}
