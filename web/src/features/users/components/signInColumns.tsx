import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ToneText } from '@/components/Tone';
import type { Column } from '@/components/table/columns';
import type { Tone } from '@/lib/quality';
import { formatDateTime } from '@/lib/time';
import { agentOf } from '../agent';
import { SIGN_IN_RESULTS } from '../api';
import type { SignInRow } from '../api';

const TONES: Readonly<Record<string, Tone>> = {
  ok: 'ok',
  wrong: 'warn',
  locked: 'bad',
  disabled: 'warn',
  expired: 'warn',
  refused_type: 'warn',
  above: 'warn',
};

/** Columns of a log of sign-ins; own: without the name. */
export function useSignInColumns(own = false): readonly Column<SignInRow>[] {
  const { t } = useTranslation();
  return useMemo(() => {
    const result = (row: SignInRow): string => {
      const known = SIGN_IN_RESULTS.find((each) => each === row.result);
      return known === undefined ? row.result : t(`users:result.${known}`);
    };
    const agent = (row: SignInRow): string => agentOf(row.agent) || t('users:log.program');
    const columns: Column<SignInRow>[] = [
      {
        id: 'at',
        title: t('users:log.at'),
        cell: (row) => <span className="number">{formatDateTime(row.at_ms)}</span>,
        text: (row) => formatDateTime(row.at_ms),
        fixed: true,
        card: own ? 'title' : 'fact',
      },
      {
        id: 'user',
        title: t('users:field.name'),
        cell: (row) => row.user_name,
        text: (row) => row.user_name,
        card: 'title',
      },
      {
        id: 'result',
        title: t('users:log.result'),
        cell: (row) => <ToneText tone={TONES[row.result] ?? 'off'}>{result(row)}</ToneText>,
        text: result,
        card: 'mark',
      },
      {
        id: 'address',
        title: t('users:log.address'),
        cell: (row) => <code>{row.address}</code>,
        text: (row) => row.address,
        card: 'fact',
      },
      {
        id: 'agent',
        title: t('users:log.agent'),
        cell: (row) => <span title={row.agent}>{agent(row)}</span>,
        text: (row) => row.agent,
        card: 'fact',
      },
    ];
    return own ? columns.filter(({ id }) => id !== 'user') : columns;
  }, [t, own]);
}
