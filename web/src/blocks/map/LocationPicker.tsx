import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { NumberField } from '@/components/form/NumberField';
import { isPlace } from './isPlace';
import { DATUMS, figuresOf, parsedCoordinates, rounded, typedAs } from './datum';
import type { Datum, Figures, Typed } from './datum';
import classes from './map.module.css';
import { MapView } from './MapView';
import type { LngLat, MapPosition } from './model';

interface Props {
  /** Degrees of WGS-84, as the cloud keeps them; null for no place. What was typed and is none, see isPlace, is for the form to refuse. */
  value: LngLat | null;
  onChange: (value: LngLat | null) => void;
  disabled?: boolean;
  /** What is wrong, as a field of a form shows it. */
  error?: string | null;
}

const NEAR_ZOOM = 9;
const NOWHERE: readonly never[] = [];
const IGNORE = (): void => undefined;

/** A place on the map or in figures of a datum; text with coordinates can be pasted. */
export function LocationPicker({ value, onChange, disabled = false, error = null }: Props): ReactElement {
  const { t } = useTranslation();
  const [datum, setDatum] = useState<Datum>('WGS84');
  const [pasted, setPasted] = useState('');
  const [goTo, setGoTo] = useState<MapPosition | null>(null);
  // Converted to WGS-84 and back the figures would change under the hand.
  const [typed, setTyped] = useState<Typed | null>(null);
  const display = figuresOf(value, datum, typed);
  const take = (figures: Figures): LngLat | null => {
    const next = typedAs(figures, datum);
    setTyped(next);
    if (value !== null || next.result !== null) onChange(next.result);
    return next.result;
  };
  const paste = (text: string): void => {
    setPasted(text);
    const coordinates = parsedCoordinates(text);
    if (coordinates === null) return;
    const place = take(coordinates);
    if (place !== null) setGoTo({ ...place, zoom: NEAR_ZOOM });
  };
  const isWrong = pasted.trim() !== '' && parsedCoordinates(pasted) === null;
  return (
    <Stack gap={8} data-testid="location-picker">
      <div className={classes.picker} inert={disabled}>
        <MapView
          label={t('base:map.pick')}
          places={NOWHERE}
          selected={null}
          onSelect={IGNORE}
          start={null}
          onMoved={IGNORE}
          pin={value !== null && isPlace(value.longitude, value.latitude) ? value : null}
          onPick={({ longitude, latitude }) => {
            setTyped(null);
            onChange({ longitude: rounded(longitude), latitude: rounded(latitude) });
          }}
          goTo={goTo}
        />
      </div>
      <Group gap={8} align="flex-end" grow preventGrowOverflow={false}>
        <NumberField
          label={t('base:map.longitude')}
          value={display.longitude ?? ''}
          onChange={(longitude) => take({ ...display, longitude })}
          min={-180}
          max={180}
          decimalScale={6}
          hideControls
          disabled={disabled}
          data-testid="location-longitude"
        />
        <NumberField
          label={t('base:map.latitude')}
          value={display.latitude ?? ''}
          onChange={(latitude) => take({ ...display, latitude })}
          min={-90}
          max={90}
          decimalScale={6}
          hideControls
          disabled={disabled}
          data-testid="location-latitude"
        />
        <Select
          label={t('base:map.datum')}
          data={DATUMS.map((one) => ({ value: one, label: t(`base:map.crs.${one}`) }))}
          value={datum}
          onChange={(next) => setDatum((next ?? 'WGS84') as Datum)}
          allowDeselect={false}
          disabled={disabled}
          data-testid="location-datum"
        />
      </Group>
      <Group gap={8} align="flex-end" wrap="nowrap">
        <TextInput
          flex={1}
          label={t('base:map.paste')}
          placeholder="116.397428, 39.90923"
          description={t('base:map.pasteHint', { datum: t(`base:map.crs.${datum}`) })}
          value={pasted}
          onChange={(event) => paste(event.currentTarget.value)}
          error={isWrong ? t('base:map.pasteWrong') : undefined}
          maxLength={200}
          disabled={disabled}
          data-testid="location-paste"
        />
        <Button
          variant="default"
          leftSection={<IconX size={16} stroke={1.6} />}
          disabled={disabled || value === null}
          onClick={() => {
            setTyped(null);
            setPasted('');
            onChange(null);
          }}
          data-testid="location-clear"
        >
          {t('base:map.clear')}
        </Button>
      </Group>
      {error === null || error === '' ? null : (
        <Text size="sm" c="red" role="alert">
          {error}
        </Text>
      )}
    </Stack>
  );
}
