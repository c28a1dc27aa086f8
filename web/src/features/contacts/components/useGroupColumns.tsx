import { Fragment, useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import page from '@/components/page.module.css';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import type { ContactGroupRow, GroupMember } from '../api';

export function useGroupColumns(): readonly Column<ContactGroupRow>[] {
  const { t } = useTranslation();
  return useMemo(() => {
    const channels = (row: ContactGroupRow): string =>
      [...(row.channels ?? []), ...row.robots.map(({ kind }) => kind)]
        .map((channel) => t(`base:delivery.channel.${channel}`))
        .join(', ');
    const gateways = (row: ContactGroupRow): string => {
      const of = row.gateways ?? 'all';
      const titles = of === 'devices' ? row.devices : of === 'projects' ? row.projects : [];
      return titles.map(({ title }) => title).join(', ') || t(`contacts:gateways.${of}`);
    };
    const member = ({ title, problem }: GroupMember): string =>
      problem === '' ? title : `${title} (${t(`contacts:member.${problem}`)})`;
    const members = (row: ContactGroupRow): string => row.contacts.map(member).join(', ');
    const unreached = (row: ContactGroupRow): number =>
      row.contacts.filter(({ problem }) => problem === 'no_address').length;
    const state = (row: ContactGroupRow): string => {
      if (!row.enabled) return t('contacts:enabled.false');
      if (row.problem !== '') return t(`contacts:problem.${row.problem}`);
      const count = unreached(row);
      return count === 0 ? t('contacts:enabled.true') : t('contacts:problem.some', { count });
    };
    return [
      {
        id: 'title',
        title: t('contacts:field.title'),
        fixed: true,
        card: 'title',
        cell: (row) => <span className={page.title}>{row.title}</span>,
        text: (row) => row.title,
      },
      {
        id: 'members',
        title: t('contacts:field.members'),
        card: 'fact',
        cell: (row) => <Members row={row} />,
        text: members,
      },
      {
        id: 'channels',
        title: t('contacts:field.channels'),
        card: 'fact',
        cell: (row) => channels(row) || '-',
        text: channels,
      },
      { id: 'gateways', title: t('contacts:field.gateways'), cell: gateways, text: gateways },
      {
        id: 'level',
        title: t('contacts:field.level'),
        cell: (row) => t(`contacts:level.${row.lowest_level ?? 'info'}`),
        text: (row) => t(`contacts:level.${row.lowest_level ?? 'info'}`),
      },
      {
        id: 'state',
        title: t('contacts:field.state'),
        card: 'mark',
        cell: (row) => (
          <ToneText tone={!row.enabled ? 'off' : row.problem === '' && unreached(row) === 0 ? 'ok' : 'warn'}>
            {state(row)}
          </ToneText>
        ),
        text: state,
      },
      {
        id: 'owner',
        title: t('contacts:field.owner'),
        cell: (row) => row.user_name || t('contacts:platform'),
        text: (row) => row.user_name,
      },
    ];
  }, [t]);
}

/** Those who hear nothing stand out. */
function Members({ row }: { row: ContactGroupRow }): ReactElement {
  const { t } = useTranslation();
  if (row.contacts.length === 0) return <>-</>;
  return (
    <>
      {row.contacts.map((member, index) => (
        <Fragment key={member.id}>
          {index === 0 ? '' : ', '}
          {member.title}
          {member.problem === '' ? null : (
            <>
              {' '}
              <ToneText tone="warn">{t(`contacts:member.${member.problem}`)}</ToneText>
            </>
          )}
        </Fragment>
      ))}
    </>
  );
}
