import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import page from '@/components/page.module.css';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import { ScreenLink } from '@/components/ScreenLink';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import { loadProjects, PROJECTS } from '../api';
import type { ProjectRow } from '../api';
import { NewPlan } from '../components/NewPlan';
import { usePlanWords } from '../components/usePlanWords';
import classes from '../firmware.module.css';
import { PLAN_TONES } from '../steps';

/** Of the releases of a project, as many as a line has space for. */
const MAX_VERSIONS = 4;
const MAX_PLANS = 2;
const INDENT_PX = 18;
/** Gateways of no project. */
const NONE = 0;

/** Projects with the releases of their gateways and the plans that are under way, each with all below it. */
export default function FirmwareProjects(): ReactElement {
  const { t } = useTranslation();
  const columns = useProjectColumns();
  const resource = useMemo<Resource<ProjectRow>>(
    () => ({
      name: 'firmware-projects',
      title: t('firmware:projects.title'),
      queryKey: PROJECTS,
      load: loadProjects,
      unpaged: true,
      rowId: (row) => row.project_id ?? NONE,
      columns,
      filters: [{ kind: 'search', name: 'search', label: t('firmware:projects.search') }],
      rowActions: planFor,
      empty: { title: t('firmware:projects.none'), text: t('firmware:projects.noneText') },
    }),
    [t, columns],
  );
  return <ResourcePage resource={resource} />;
}

function planFor({ project_id, title }: ProjectRow): ReactElement | null {
  if (project_id === null) return null;
  return <NewPlan what={title} preset={() => ({ range: 'project', project_ids: [String(project_id)] })} />;
}

function useProjectColumns(): readonly Column<ProjectRow>[] {
  const { t } = useTranslation();
  const words = usePlanWords();
  return useMemo(() => {
    const title = (row: ProjectRow): string => (row.project_id === null ? t('base:picker.noProject') : row.title);
    const versions = (row: ProjectRow): string[] =>
      row.versions.map(({ name, version, version_text, gateways }) =>
        t('firmware:projects.release', {
          release: version === 0 ? `${name} ${t('firmware:delivered')}` : `${name} ${version_text}`,
          count: gateways,
        }),
      );
    return [
      {
        id: 'title',
        title: t('firmware:projects.project'),
        fixed: true,
        card: 'title',
        sort: 'title',
        cell: (row) => (
          <span style={{ paddingLeft: (row.depth - 1) * INDENT_PX, fontWeight: row.kind === 'group' ? 600 : 400 }}>
            {title(row)}
          </span>
        ),
        text: title,
      },
      {
        id: 'gateways',
        title: t('firmware:field.gateways'),
        align: 'right',
        sort: 'gateways',
        width: 110,
        card: 'fact',
        cell: (row) => <span className="number">{row.gateways}</span>,
        text: (row) => String(row.gateways),
        value: (row) => row.gateways,
      },
      {
        id: 'online',
        title: t('firmware:projects.online'),
        align: 'right',
        sort: 'online',
        width: 90,
        cell: (row) => <span className="number">{row.online}</span>,
        text: (row) => String(row.online),
        value: (row) => row.online,
      },
      {
        id: 'taking',
        title: t('firmware:projects.taking'),
        align: 'right',
        sort: 'taking',
        width: 130,
        cell: (row) => <span className="number">{row.taking}</span>,
        text: (row) => String(row.taking),
        value: (row) => row.taking,
      },
      {
        id: 'versions',
        title: t('firmware:projects.versions'),
        width: 320,
        card: 'fact',
        cell: (row) => {
          const named = versions(row);
          if (named.length === 0) return '-';
          const more = named.length - MAX_VERSIONS;
          return (
            <span title={named.join('\n')}>
              {named.slice(0, MAX_VERSIONS).join(' · ')}
              {more > 0 ? ` · ${t('firmware:projects.more', { count: more })}` : ''}
            </span>
          );
        },
        text: (row) => versions(row).join('; '),
      },
      {
        id: 'plans',
        title: t('firmware:projects.plans'),
        width: 260,
        card: 'fact',
        cell: (row) =>
          row.plans.length === 0 ? (
            '-'
          ) : (
            <span className={classes.plans} title={row.plans.map(words.title).join('\n')}>
              {row.plans.slice(0, MAX_PLANS).map((plan) => (
                <ToneText key={plan.id} tone={PLAN_TONES[plan.state]}>
                  <ScreenLink path="/ota/firmware" search={{ plan: plan.id }} className={page.title}>
                    {`${words.title(plan)} (${plan.gateways})`}
                  </ScreenLink>
                </ToneText>
              ))}
              {row.plans.length > MAX_PLANS
                ? t('firmware:projects.morePlans', { count: row.plans.length - MAX_PLANS })
                : null}
            </span>
          ),
        text: (row) => row.plans.map(words.title).join('; '),
      },
    ];
  }, [t, words]);
}
