import { MultiSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import * as sdk from '@/api/generated/sdk.gen';
import { call } from '@/api/http';
import { listed } from '@/blocks/devices/ProjectSelect';
import { projectTree } from '@/lib/projectTree';

const NONE: string[] = [];

interface Props {
  value?: string[];
  onChange?: (value: string[]) => void;
  error?: ReactNode;
}

/** Projects and groups of projects, each with all below it. */
export function ProjectsField({ value = NONE, onChange, error }: Props): ReactElement {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ['project'],
    queryFn: ({ signal }) => call(sdk.listProjects({ signal })),
    meta: { errorInPlace: true },
  });
  const rows = data === undefined ? [] : listed(projectTree(data.nodes));
  const known = new Set(rows.map((row) => row.value));
  const gone = value.filter((each) => !known.has(each)).map((each) => ({ value: each, label: `#${each}` }));
  return (
    <MultiSelect
      label={t('contacts:gateways.projects')}
      description={t('contacts:field.projectsText')}
      data={[...rows, ...gone]}
      value={value}
      onChange={onChange}
      searchable
      required
      error={error}
      data-testid="group-projects"
    />
  );
}
