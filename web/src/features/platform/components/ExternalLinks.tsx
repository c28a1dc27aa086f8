import { TagsInput, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FormFoot } from '@/components/form/FormFoot';
import { useApiForm } from '@/components/form/useApiForm';
import { showSuccess } from '@/components/notices';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Trouble } from '@/components/Trouble';
import { isSafe } from '@/lib/quickEntries';
import { linksQuery, putLinks } from '../api';
import type { LinkOptions } from '../api';
import { hostOf } from '../looks';
import classes from '../platform.module.css';
import { useMaySet } from './useMaySet';

const ADDRESSES = ['ota', 'flow', 'gis', 'screen'] as const;
const MAX_HOSTS = 20;

/** Where entries of the menu lead that leave the portal; without an address an entry is not shown. */
export function ExternalLinks(): ReactElement {
  const { data, error, refetch } = useQuery({ ...linksQuery, refetchOnWindowFocus: false });
  if (error !== null) return <Trouble error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <PageSkeleton /> : <LinksForm links={data} />;
}

function LinksForm({ links }: { links: LinkOptions }): ReactElement {
  const { t } = useTranslation();
  const may = useMaySet();
  const cache = useQueryClient();
  const address = (url: string): string | null =>
    url.trim() === '' || isSafe(url.trim()) ? null : t('platform:quick.rule.url');
  const form = useApiForm<LinkOptions>({
    values: links,
    validate: {
      ota: address,
      flow: address,
      gis: address,
      screen: address,
      ota_hosts: (hosts) => (hosts.every((host) => hostOf(host) !== null) ? null : t('platform:customize.rule')),
    },
    save: (draft) => putLinks({ ...trimmed(draft), ota_hosts: draft.ota_hosts.map((host) => hostOf(host) ?? host) }),
    onSaved: (_done, draft) => {
      form.fields.resetDirty(draft);
      void cache.invalidateQueries({ queryKey: linksQuery.queryKey });
      showSuccess(t('base:form.done.edit'));
    },
  });
  const { fields } = form;
  return (
    <form onSubmit={form.submit} noValidate className={classes.narrow} data-testid="links-form">
      <p className={classes.lead}>{t('platform:links.lead')}</p>
      {ADDRESSES.map((name) => (
        <TextInput
          key={name}
          label={t(`platform:links.${name}`)}
          placeholder={t('platform:links.placeholder')}
          inputMode="url"
          autoCapitalize="none"
          spellCheck={false}
          disabled={!may}
          data-testid={`link-${name}`}
          {...fields.getInputProps(name)}
        />
      ))}
      <TagsInput
        label={t('platform:links.otaHosts')}
        description={t('platform:links.otaHostsHint')}
        maxTags={MAX_HOSTS}
        disabled={!may}
        {...fields.getInputProps('ota_hosts')}
      />
      <FormFoot form={form} disabled={!may || !fields.isDirty()} testId="links-save" />
    </form>
  );
}

function trimmed({ ota, flow, gis, screen, ota_hosts }: LinkOptions): LinkOptions {
  return { ota: ota.trim(), flow: flow.trim(), gis: gis.trim(), screen: screen.trim(), ota_hosts };
}
