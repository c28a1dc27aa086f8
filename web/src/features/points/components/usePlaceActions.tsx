import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfirmDelete } from '@/components/useConfirm';
import { deletePort, deleteSlave, savePort, saveSlaves } from '../api';
import type { Ports, Saved, Slaves } from '../api';
import { keyOf, useEdits } from '../model/edits';
import type { Place } from './SlaveTree';

interface Input {
  deviceId: number;
  ports: Ports;
  slaves: Slaves;
  onDone: () => void;
  onGone: () => void;
}

/** Switch a port or slave on or off, or delete it with what hangs on it, after a question that says how much that is. */
export function usePlaceActions({
  deviceId,
  ports,
  slaves,
  onDone,
  onGone,
}: Input): [(action: 'enable' | 'delete', place: Place) => void, ReactElement | null] {
  const { t } = useTranslation();
  const [ask, dialog] = useConfirmDelete();
  const below = (name: string): Slaves['rows'] => slaves.rows.filter(({ fields }) => fields.port === name);
  const enable = async ({ kind, name }: Place): Promise<Saved> => {
    const row = (kind === 'port' ? ports.rows : slaves.rows).find(({ fields }) => fields.name === name);
    const on = row?.fields.enable === false;
    if (kind === 'port') return savePort(deviceId, name, { enable: on });
    return saveSlaves(deviceId, { update: [{ was_named: name, enable: on }] });
  };
  const changing = useMutation({ mutationFn: enable, onSuccess: onDone });
  const deleting = useMutation({
    mutationFn: ({ kind, name }: Place) => (kind === 'port' ? deletePort(deviceId, name) : deleteSlave(deviceId, name)),
    onSuccess: (_saved, { kind, name }) => {
      const gone = kind === 'slave' ? [name] : below(name).map(({ fields }) => String(fields.name));
      for (const slave of gone) useEdits.getState().end(keyOf(deviceId, slave));
      onGone();
      onDone();
    },
  });
  const remove = async (place: Place): Promise<void> => {
    const lost =
      place.kind === 'port' ? below(place.name) : slaves.rows.filter(({ fields }) => fields.name === place.name);
    const points = lost.reduce((sum, row) => sum + row.points, 0);
    const count = place.kind === 'port' ? lost.length : 0;
    const words = place.kind === 'port' ? 'points:delete.impact' : 'points:delete.slaveImpact';
    const impact = points + count === 0 ? undefined : t(words, { slaves: count, points });
    if (await ask(place.name, { impact })) deleting.mutate(place);
  };
  return [(action, place) => (action === 'enable' ? changing.mutate(place) : void remove(place)), dialog];
}
