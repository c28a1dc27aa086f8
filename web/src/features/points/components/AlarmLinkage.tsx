import { ActionIcon, Button, Group, Select, Text } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { withField } from '@/blocks/points/point';
import type { Point } from '@/blocks/points/point';
import { errorText } from '@/components/notices';
import { presetsQuery } from '../api';
import { linkagesOf } from '../model/linkage';
import type { Linkage } from '../model/linkage';

const MAX_LINKAGES = 20;

interface Props {
  deviceId: number;
  point: Point;
  disabled: boolean;
  onChange: (point: Point) => void;
}

/** Presets that are carried out when the point's alarm begins or ends; of other gateways those that there are stay. */
export function AlarmLinkage({ deviceId, point, disabled, onChange }: Props): ReactElement {
  const { t } = useTranslation();
  const { data: presets = [], error } = useQuery(presetsQuery(deviceId));
  const linkages = linkagesOf(point);
  const put = (next: readonly Linkage[]): void =>
    onChange(withField(point, 'alarm_linkage', next.length === 0 ? undefined : next));
  const change = (at: number, part: Partial<Linkage>): void =>
    put(linkages.map((each, place) => (place === at ? { ...each, ...part } : each)));
  const first = presets[0];
  const choices = presets.map(({ id, title }) => ({ value: String(id), label: title }));
  const named = (id: number): typeof choices =>
    presets.some((preset) => preset.id === id) ? choices : [...choices, { value: String(id), label: `#${id}` }];
  return (
    <div role="group" aria-label={t('base:point.field.alarm_linkage')} data-testid="alarm-linkage">
      <Text fw={600} size="sm" mt="xs">
        {t('base:point.field.alarm_linkage')}
      </Text>
      {linkages.map(({ on, preset_id }, at) => (
        // Two may be alike, and rows have no name of their own.
        // oxlint-disable-next-line react/no-array-index-key
        <Group key={at} align="flex-end" gap="xs" wrap="nowrap">
          <Select
            label={t('points:linkage.on')}
            data={['raised', 'cleared'].map((value) => ({ value, label: t(`points:linkage.${value}`) }))}
            value={on}
            allowDeselect={false}
            disabled={disabled}
            onChange={(value) => change(at, { on: value === 'cleared' ? 'cleared' : 'raised' })}
          />
          <Select
            label={t('points:linkage.preset')}
            data={named(preset_id)}
            value={String(preset_id)}
            allowDeselect={false}
            searchable
            disabled={disabled}
            onChange={(value) => change(at, { preset_id: Number(value) })}
            data-testid={`alarm-linkage-${at}`}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            disabled={disabled}
            onClick={() => put(linkages.filter((_, place) => place !== at))}
            aria-label={t('points:linkage.remove')}
          >
            <IconTrash size={16} stroke={1.6} />
          </ActionIcon>
        </Group>
      ))}
      <Button
        variant="default"
        size="compact-sm"
        mt="xs"
        leftSection={<IconPlus size={14} stroke={1.6} aria-hidden />}
        disabled={disabled || first === undefined || linkages.length >= MAX_LINKAGES}
        onClick={() => first !== undefined && put([...linkages, { on: 'raised', preset_id: first.id }])}
        data-testid="alarm-linkage-add"
      >
        {t('points:linkage.add')}
      </Button>
      {error === null && first !== undefined ? null : (
        <Text size="xs" c="dimmed">
          {error === null ? t('points:linkage.none') : errorText(error)}
        </Text>
      )}
    </div>
  );
}
