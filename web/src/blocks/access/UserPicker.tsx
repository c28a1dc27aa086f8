import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import * as sdk from '@/api/generated/sdk.gen';
import { call } from '@/api/http';
import { AsyncPicker } from '@/components/AsyncPicker';
import type { AsyncPickerProps, Choice } from '@/components/AsyncPicker';

const MAX_RESULTS = 20;

type UserPickerProps = Omit<AsyncPickerProps, 'load' | 'queryKey' | 'label'> & {
  /** 'User' without one. */
  label?: string;
};

/** One of the users that the signed-in one may see; its value is the user's id. */
export function UserPicker({ label, ...rest }: UserPickerProps): ReactElement {
  const { t } = useTranslation();
  return <AsyncPicker label={label ?? t('base:picker.user')} load={findUsers} queryKey={['user', 'pick']} {...rest} />;
}

async function findUsers(search: string, signal: AbortSignal): Promise<readonly Choice[]> {
  const { rows } = await call(
    sdk.listUsers({ query: { search: search || undefined, page: 1, limit: MAX_RESULTS }, signal }),
  );
  return rows.map((user) => ({ value: String(user.user_id), label: user.user_name, note: user.nick_name }));
}
