import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import * as sdk from '@/api/generated/sdk.gen';
import { call } from '@/api/http';
import { projectTree } from '@/lib/projectTree';
import type { TreeNode } from '@/lib/tree';

const STALE_MS = 30_000;
/** Of a level, as wide as two letters. */
const INDENT = '\u2003';

interface Props {
  /** Id of a group or project; '' for all. */
  value: string;
  onChange: (value: string | undefined) => void;
  w?: number | string | Record<string, number | string>;
  testId?: string;
}

/** Filter by one group or project with all below it; not drawn when there is none to choose. */
export function ProjectSelect({ value, onChange, w = 200, testId }: Props): ReactElement | null {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ['project'],
    queryFn: ({ signal }) => call(sdk.listProjects({ signal })),
    staleTime: STALE_MS,
    meta: { shownInPlace: true },
  });
  const rows = useMemo(() => listed(projectTree(data?.nodes ?? [])), [data]);
  if (rows.length === 0 && value === '') return null;
  const isGone = value !== '' && data !== undefined && !rows.some((row) => row.value === value);
  return (
    <Select
      aria-label={t('base:picker.project')}
      placeholder={t('base:picker.allProjects')}
      data={isGone ? [...rows, { value, label: t('base:picker.unknown', { id: value }) }] : rows}
      value={value === '' ? null : value}
      onChange={(next) => onChange(next ?? undefined)}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('base:table.clear') }}
      nothingFoundMessage={t('base:table.noMatch')}
      size="sm"
      w={w}
      data-testid={testId}
    />
  );
}

/** The tree as lines, deeper ones indented. */
export function listed(nodes: readonly TreeNode[], depth = 0): { value: string; label: string }[] {
  return nodes.flatMap(({ id, label, children = [] }) => [{ value: id, label: `${INDENT.repeat(depth)}${label}` }, ...listed(children, depth + 1)]);
}
