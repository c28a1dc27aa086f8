import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '@/components/form/FormDrawer';
import { useApiForm } from '@/components/form/useApiForm';
import { showError, showSuccess } from '@/components/notices';
import { SecretDialog } from '@/blocks/secret/SecretDialog';
import { deviceTitle } from '@/lib/deviceTitle';
import { changeDevice, createDevice, deviceQuery, renewDevices } from '../api';
import type { DeviceDetail, NewDevice } from '../api';
import { changesOf, copyOf, DRAFT_NAMES, draftOf } from '../draft';
import type { Draft } from '../draft';
import { setPassword } from '../making';
import { DeviceFields } from './DeviceFields';
import { useFaultWords } from './useFaultWords';

interface Props {
  id: number;
  mode: 'edit' | 'copy';
  onClose: () => void;
}

const WIDE = 720;

/** Every field of a gateway, to be changed or for a copy of it. */
export default function DeviceDrawer({ id, mode, onClose }: Props): ReactElement | null {
  // The draft begins with what the cloud says now, and is not touched by what comes while somebody types.
  const {
    data: device,
    error,
    isFetchedAfterMount,
  } = useQuery({ ...deviceQuery(id), staleTime: 0, refetchOnWindowFocus: false });
  const { t } = useTranslation();
  const [made, setMade] = useState<NewDevice | null>(null);
  const failure = device === undefined ? error : null;
  useEffect(() => {
    if (failure === null) return;
    showError(failure);
    onClose();
  }, [failure, onClose]);
  if (made !== null)
    return (
      <SecretDialog title={t('devices:made', { title: deviceTitle(made.device) })} made={made} onClose={onClose} />
    );
  return device === undefined || !isFetchedAfterMount ? null : (
    <Form device={device} mode={mode} onClose={onClose} onMade={setMade} />
  );
}

function Form({
  device,
  mode,
  onClose,
  onMade,
}: Omit<Props, 'id'> & { device: DeviceDetail; onMade: (made: NewDevice) => void }): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const isCopy = mode === 'copy';
  const [first] = useState(device);
  const before = useMemo(
    () => (isCopy ? copyOf(first, t('devices:copyOf', { title: first.device_title })) : draftOf(first)),
    [first, isCopy, t],
  );
  const save = async (draft: Draft): Promise<NewDevice | null> => {
    if (isCopy) {
      const body = { ...changesOf(draft, { ...before, device_title: '' }), device_title: draft.device_title.trim() };
      const made = await createDevice(draft.gateway_id, body, first.id);
      await setPassword(made.device.id, draft);
      return made;
    }
    await changeDevice(first.id, changesOf(draft, before));
    await setPassword(first.id, draft);
    return null;
  };
  const form = useApiForm<Draft, NewDevice | null>({
    values: before,
    validate: useFaultWords(isCopy),
    names: DRAFT_NAMES,
    save,
    onSaved: (made) => {
      renewDevices(cache);
      void cache.invalidateQueries({ queryKey: ['device', first.id] });
      if (made !== null) return onMade(made);
      showSuccess(t('base:form.done.edit'));
      return onClose();
    },
  });
  return (
    <FormDrawer title={t(isCopy ? 'devices:copy' : 'devices:edit')} form={form} onClose={onClose} size={WIDE}>
      <DeviceFields
        form={form}
        isNew={isCopy}
        canLocate={!isCopy && first.has_location_point}
        deviceId={isCopy ? null : first.id}
        pending={first.settings_pending}
      />
    </FormDrawer>
  );
}
