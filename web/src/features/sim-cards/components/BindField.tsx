import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { findDevices } from '@/blocks/devices/devicePicker';
import { AsyncPicker } from '@/components/AsyncPicker';
import type { Choice } from '@/components/AsyncPicker';
import { errorText, showSuccess } from '@/components/notices';
import { refusalText } from '@/components/refusal';
import { bindCard, CARDS } from '../api';
import type { CardRow } from '../api';

/** Which gateway a card belongs into. Of a moved one: the gateway that it is in now, with one click. */
export function BindField({ card }: { card: CardRow }): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const bound: Choice | null =
    card.gateway === null ? null : { value: String(card.gateway.id), label: card.gateway.title };
  const [chosen, setChosen] = useState(bound);
  const binding = useMutation({
    mutationFn: (device: number | null) => bindCard(card.id, device),
    meta: { errorInPlace: true },
    onSuccess: () => {
      void cache.invalidateQueries({ queryKey: CARDS });
      showSuccess(t('base:form.done.edit'));
    },
  });
  const { seen } = card;
  const isChanged = chosen?.value !== bound?.value;
  return (
    <Group align="flex-end" gap="sm" wrap="wrap">
      <div style={{ flex: '1 1 220px' }}>
        <AsyncPicker
          label={t('sim-cards:bind.gateway')}
          value={chosen}
          onChange={setChosen}
          load={findDevices}
          queryKey={['device', 'picker']}
          placeholder={card.bound && bound === null ? t('sim-cards:hiddenGateway') : t('sim-cards:bind.none')}
          error={binding.error === null ? undefined : (refusalText(binding.error) ?? errorText(binding.error))}
          clearable
          testId="sim-bind"
        />
      </div>
      <Button
        variant="default"
        disabled={!isChanged}
        loading={binding.isPending}
        onClick={() => binding.mutate(chosen === null ? null : Number(chosen.value))}
        data-testid="sim-bind-save"
      >
        {t('sim-cards:bind.save')}
      </Button>
      {card.moved_ms === null || seen === null ? null : (
        <Button loading={binding.isPending} onClick={() => binding.mutate(seen.id)} data-testid="sim-bind-seen">
          {t('sim-cards:bind.seen', { gateway: seen.title })}
        </Button>
      )}
    </Group>
  );
}
