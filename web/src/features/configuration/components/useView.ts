import { useTab } from '@/lib/tab';

export const VIEWS = ['versions', 'compare', 'document', 'deployments'] as const;
export type View = (typeof VIEWS)[number];

export interface Place {
  view: View;
  /** Versions to compare, the version whose document is shown; undefined: what the view shows by itself. */
  from: string | undefined;
  to: string | undefined;
  version: string | undefined;
  /** A field of the document to show. */
  field: string | undefined;
  /** The document is being edited. */
  edit: boolean;
  /** The version that is about to be deployed, and the deployment that is watched. */
  deploy: string | undefined;
  deployment: string | undefined;
}

export interface ViewState extends Place {
  show: (change: Partial<Place>) => void;
}

/** What the tab shows, as it stands in the address. */
export function useView(): ViewState {
  const { search, setSearch } = useTab();
  const view = VIEWS.find((name) => name === search.cfg) ?? 'versions';
  return {
    view,
    from: search.cfg_from,
    to: search.cfg_to,
    version: search.cfg_version,
    field: search.cfg_field,
    edit: search.cfg_edit === '1',
    deploy: search.deploy,
    deployment: search.deployment,
    show: (change) => {
      const values: Record<string, string | undefined> = {};
      if ('view' in change) Object.assign(values, { cfg: change.view, cfg_field: undefined, cfg_edit: undefined });
      if ('from' in change) values.cfg_from = change.from;
      if ('to' in change) values.cfg_to = change.to;
      if ('version' in change) values.cfg_version = change.version;
      if ('field' in change) values.cfg_field = change.field;
      if ('edit' in change) values.cfg_edit = change.edit ? '1' : undefined;
      if ('deploy' in change) values.deploy = change.deploy;
      if ('deployment' in change) values.deployment = change.deployment;
      setSearch(values, 'push');
    },
  };
}
