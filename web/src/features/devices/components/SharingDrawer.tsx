import { ActionIcon, Alert, Badge, Button, Drawer, Group, Select, Stack, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useUnsavedChanges } from '@/components/form/useUnsavedChanges';
import { errorText, showSuccess } from '@/components/notices';
import page from '@/components/page.module.css';
import { Trouble } from '@/components/Trouble';
import { useConfirm } from '@/components/useConfirm';
import { UserPicker } from '@/blocks/access/UserPicker';
import type { Choice } from '@/components/AsyncPicker';
import { deviceTitle } from '@/lib/deviceTitle';
import { useMay, useSession } from '@/lib/session';
import { deleteShare, deviceQuery, giveDevice, putShare, renewDevices, sharesQuery } from '../api';
import type { DeviceDetail, DeviceRow, Share } from '../api';

const WIDE = 560;
const RIGHTS = ['visitor.read', 'visitor.write', 'owner.write'] as const;
type Right = (typeof RIGHTS)[number];

const rightOf = ({ role, writes }: Pick<Share, 'role' | 'writes'>): Right =>
  role === 'owner' ? 'owner.write' : writes ? 'visitor.write' : 'visitor.read';

/** Whose a gateway is, who else sees it and what they may do. */
export default function SharingDrawer({ device, onClose }: { device: DeviceRow; onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const { data: detail, error: failure, refetch: again } = useQuery(deviceQuery(device.id));
  const { data: shares, error, refetch } = useQuery(sharesQuery(device.id));
  const decides = device.role === 'owner' && device.writes;
  return (
    <Drawer
      opened
      onClose={onClose}
      title={t('devices:share.title', { title: deviceTitle(device) })}
      size={WIDE}
      data-testid="share-drawer"
    >
      <Stack>
        {detail === undefined ? null : <Owner device={detail} onClose={onClose} />}
        {detail === undefined && failure !== null && error === null ? (
          <Trouble error={failure} onRetry={() => void again()} />
        ) : null}
        {error === null ? null : <Trouble error={error} onRetry={() => void refetch()} />}
        {shares === undefined ? null : <Shares id={device.id} shares={shares} decides={decides} onClose={onClose} />}
        {decides ? <Invite id={device.id} /> : null}
      </Stack>
    </Drawer>
  );
}

function useChange(id: number): {
  run: (work: () => Promise<unknown>, done: string) => void;
  failure: string;
  isPending: boolean;
} {
  const cache = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: ({ work }: { work: () => Promise<unknown>; done: string }) => work(),
    meta: { errorInPlace: true },
    onSuccess: (_, { done }) => showSuccess(done),
    onSettled: () => {
      void cache.invalidateQueries({ queryKey: ['shares', id] });
      void cache.invalidateQueries({ queryKey: ['device', id] });
      renewDevices(cache);
    },
  });
  return { run: (work, done) => mutate({ work, done }), failure: error === null ? '' : errorText(error), isPending };
}

function Owner({ device, onClose }: { device: DeviceDetail; onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const [ask, dialog] = useConfirm();
  const [to, setTo] = useState<Choice | null>(null);
  const { run, failure, isPending } = useChange(device.id);
  const { owner } = device.access;
  // Whoever sees no other users has nobody to hand it on to.
  const lists = useMay('auth.User');
  const give = async (): Promise<void> => {
    if (to === null) return;
    const title = t('devices:share.give');
    if (!(await ask({ title, text: t('devices:share.giveText', { user: to.label }), confirm: title, danger: true })))
      return;
    run(
      async () => {
        await giveDevice(device.id, Number(to.value));
        onClose();
      },
      t('devices:share.given', { user: to.label }),
    );
  };
  return (
    <section>
      <h3>{t('devices:share.owner')}</h3>
      <p>
        {owner === null ? t('devices:share.platform') : `${owner.user_name} ${owner.nick_name}`}{' '}
        <Badge variant="default">{t(`devices:share.you.${device.access.role}`)}</Badge>
      </p>
      {lists ? (
        <Group align="end">
          <UserPicker label={t('devices:share.giveTo')} value={to} onChange={setTo} clearable testId="share-give-to" />
          <Button
            variant="default"
            disabled={to === null}
            loading={isPending}
            onClick={() => void give()}
            data-testid="share-give"
          >
            {t('devices:share.give')}
          </Button>
        </Group>
      ) : null}
      {failure === '' ? null : (
        <Alert color="red" role="alert" mt="sm">
          {failure}
        </Alert>
      )}
      {dialog}
    </section>
  );
}

function Shares({
  id,
  shares,
  decides,
  onClose,
}: {
  id: number;
  shares: readonly Share[];
  decides: boolean;
  onClose: () => void;
}): ReactElement {
  const { t } = useTranslation();
  const me = useSession((state) => state.user);
  const [ask, dialog] = useConfirm();
  const { run, failure } = useChange(id);
  const kindOf = ({ user_id }: Share): 'leave' | 'end' => (String(user_id) === String(me?.id) ? 'leave' : 'end');
  const end = async (share: Share): Promise<void> => {
    const [kind, user] = [kindOf(share), share.user_name];
    const title = t(`devices:share.${kind}`, { user });
    if (!(await ask({ title, text: t(`devices:share.${kind}Text`, { user }), confirm: title, danger: true }))) return;
    run(
      async () => {
        await deleteShare(id, share.user_id);
        if (kind === 'leave') onClose();
      },
      t('devices:share.ended', { user }),
    );
  };
  const change = (share: Share, right: Right): void => {
    const [role, rights] = right.split('.') as ['owner' | 'visitor', string];
    run(
      () => putShare(id, share.user_name, role, rights === 'write'),
      t('devices:share.changed', { user: share.user_name }),
    );
  };
  if (shares.length === 0) return <p>{t('devices:share.nobody')}</p>;
  return (
    <div className={page.scroll}>
      <table className={page.table} data-testid="shares">
        <thead>
          <tr>
            <th scope="col">{t('devices:share.user')}</th>
            <th scope="col">{t('devices:share.right')}</th>
            <th scope="col">{t('base:table.actions')}</th>
          </tr>
        </thead>
        <tbody>
          {shares.map((share) => (
            <tr key={share.user_id} data-user={share.user_name}>
              <th scope="row">
                {share.user_name}
                {share.nick_name === '' ? null : <span className={page.sub}>{share.nick_name}</span>}
              </th>
              <td>
                <Select
                  aria-label={t('devices:share.rightOf', { user: share.user_name })}
                  data={RIGHTS.map((value) => ({ value, label: t(`devices:share.rights.${value}`) }))}
                  value={rightOf(share)}
                  onChange={(value) => value !== null && change(share, value as Right)}
                  allowDeselect={false}
                  disabled={!decides}
                />
              </td>
              <td>
                <ActionIcon
                  variant="subtle"
                  color="red"
                  onClick={() => void end(share)}
                  aria-label={t(`devices:share.${kindOf(share)}`, { user: share.user_name })}
                  data-testid="share-end"
                >
                  <IconTrash size={16} />
                </ActionIcon>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {failure === '' ? null : (
        <Alert color="red" role="alert" mt="sm">
          {failure}
        </Alert>
      )}
      {dialog}
    </div>
  );
}

function Invite({ id }: { id: number }): ReactElement {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const [right, setRight] = useState<Right>('visitor.read');
  useUnsavedChanges(name.trim() !== '');
  const { run, failure, isPending } = useChange(id);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const [role, rights] = right.split('.') as ['owner' | 'visitor', string];
        run(
          async () => {
            await putShare(id, name.trim(), role, rights === 'write');
            setName('');
          },
          t('devices:share.shared', { user: name.trim() }),
        );
      }}
    >
      <h3>{t('devices:share.invite')}</h3>
      <Group align="end">
        <TextInput
          label={t('devices:share.user')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={64}
          required
          data-testid="share-user"
        />
        <Select
          label={t('devices:share.right')}
          data={RIGHTS.map((value) => ({ value, label: t(`devices:share.rights.${value}`) }))}
          value={right}
          onChange={(value) => value !== null && setRight(value as Right)}
          allowDeselect={false}
          data-testid="share-right"
        />
        <Button type="submit" disabled={name.trim() === ''} loading={isPending} data-testid="share-do">
          {t('devices:share.do')}
        </Button>
      </Group>
      {failure === '' ? null : (
        <Alert color="red" role="alert" mt="sm">
          {failure}
        </Alert>
      )}
    </form>
  );
}
