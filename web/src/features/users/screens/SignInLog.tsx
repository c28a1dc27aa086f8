import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import { loadSignIns, SIGN_IN_RESULTS } from '../api';
import type { SignInRow } from '../api';
import { useSignInColumns } from '../components/signInColumns';

/** Attempts to sign in of the signed-in user and everybody below him. */
export default function SignInLog(): ReactElement {
  const { t } = useTranslation();
  const columns = useSignInColumns();
  const resource = useMemo<Resource<SignInRow>>(
    () => ({
      name: 'signins',
      title: t('users:title.log'),
      queryKey: ['loginlog'],
      load: loadSignIns,
      rowId: (row) => row.id,
      columns,
      filters: [
        { kind: 'search', name: 'search', label: t('users:log.search') },
        {
          kind: 'select',
          name: 'result',
          label: t('users:log.result'),
          options: SIGN_IN_RESULTS.map((value) => ({ value, label: t(`users:result.${value}`) })),
        },
        { kind: 'range', fallback: 'past7Days' },
      ],
      empty: { title: t('users:log.none'), text: t('users:log.noneText') },
    }),
    [t, columns],
  );
  return <ResourcePage resource={resource} />;
}
