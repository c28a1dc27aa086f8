import { ActionIcon, Button, Checkbox, Drawer, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconStar, IconStarFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { findDevices } from '../devices/devicePicker';
import { SearchBox } from '@/components/SearchBox';
import { Trouble } from '@/components/Trouble';
import { AsyncPicker } from '@/components/AsyncPicker';
import type { Choice } from '@/components/AsyncPicker';
import { deviceTitleQuery, pointSearchQuery, onlyDeviceQuery, sourcesQuery } from './api';
import classes from './history.module.css';
import { useFavourites } from './favourites';
import { labelOf, pointOf, read } from './remembered';
import type { RememberedPoint } from './remembered';
import { MAX_SERIES } from './series';

interface ChooserProps {
  points: readonly RememberedPoint[];
  device: number | null;
  fixed: boolean;
  user: number;
  onChange: (points: readonly RememberedPoint[]) => void;
  onClose: () => void;
}

/** Points of any gateway, the last ones and the marked ones, beside the chart. */
export default function PointDrawer({ onClose, ...rest }: ChooserProps): ReactElement {
  const { t } = useTranslation();
  return (
    <Drawer opened onClose={onClose} title={t('base:history.points')} size={480}>
      <Chooser {...rest} />
      <Group justify="flex-end" className={classes.done}>
        <Button onClick={onClose} data-testid="points-done">
          {t('base:action.done')}
        </Button>
      </Group>
    </Drawer>
  );
}

function Chooser({ points, device, fixed, user, onChange }: Omit<ChooserProps, 'onClose'>): ReactElement {
  const { t } = useTranslation();
  const { points: favourites, toggle: star } = useFavourites(user);
  // As they were when the drawer opened: else the list would move under the pointer.
  const [recent] = useState(() => read('recent', user));
  const [marked, setMarked] = useState(star === undefined ? null : favourites);
  if (marked === null && star !== undefined) setMarked(favourites);
  const [looked, setLooked] = useState<number | null>(device ?? points[0]?.deviceId ?? null);
  const [choice, setChoice] = useState<Choice | null>(null);
  const [words, setWords] = useState('');
  const [anywhere, setAnywhere] = useState('');
  const { data: only } = useQuery({ ...onlyDeviceQuery, enabled: !fixed && looked === null });
  if (looked === null && choice === null && typeof only === 'number') setLooked(only);
  const { data: title = '' } = useQuery({
    ...deviceTitleQuery(looked ?? 0),
    enabled: looked !== null,
    meta: { errorInPlace: true },
  });
  const isFull = points.length >= MAX_SERIES;
  const has = (dsid: number): boolean => points.some((point) => point.dsid === dsid);
  const toggle = (point: RememberedPoint): void =>
    onChange(has(point.dsid) ? points.filter(({ dsid }) => dsid !== point.dsid) : [...points, point]);
  const ofThis = (list: readonly RememberedPoint[]): readonly RememberedPoint[] =>
    fixed ? list.filter(({ deviceId }) => deviceId === device) : list;
  const row = (point: RememberedPoint, label = point.label): ReactElement => (
    <li key={point.dsid}>
      <Checkbox
        label={label}
        checked={has(point.dsid)}
        disabled={isFull && !has(point.dsid)}
        onChange={() => toggle(point)}
        data-testid="point-tick"
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-pressed={favourites.some(({ dsid }) => dsid === point.dsid)}
        aria-label={t('base:history.favourite', { name: label })}
        disabled={star === undefined}
        onClick={() => star?.(point)}
        data-testid="point-star"
      >
        {favourites.some(({ dsid }) => dsid === point.dsid) ? (
          <IconStarFilled size={16} />
        ) : (
          <IconStar size={16} stroke={1.6} />
        )}
      </ActionIcon>
    </li>
  );
  return (
    <Stack gap={12}>
      <Text size="sm" c="dimmed" role="status">
        {t('base:history.most', { count: points.length, most: MAX_SERIES })}
      </Text>
      {fixed ? null : (
        <>
          <SearchBox
            label={t('base:history.findAny')}
            value={anywhere}
            onChange={(next) => setAnywhere(next ?? '')}
            testId="point-anywhere"
            w="100%"
          />
          {anywhere === '' ? null : <Anywhere words={anywhere} row={row} />}
        </>
      )}
      <PointSection title={t('base:history.favourites')} points={ofThis(marked ?? [])} row={row} />
      <PointSection title={t('base:history.recent')} points={ofThis(recent)} row={row} />
      {fixed ? null : (
        <AsyncPicker
          label={t('base:history.device')}
          queryKey={['devices', 'pick']}
          value={choice ?? (looked === null || title === '' ? null : { value: String(looked), label: title })}
          onChange={(next) => {
            setChoice(next);
            setLooked(next === null ? null : Number(next.value));
          }}
          load={findDevices}
          testId="history-device"
        />
      )}
      {looked === null ? null : (
        <>
          <SearchBox
            label={t('base:history.findPoint')}
            value={words}
            onChange={(next) => setWords(next ?? '')}
            testId="point-search"
          />
          <PointsOf device={looked} title={title} words={words} row={row} />
        </>
      )}
    </Stack>
  );
}

type Row = (point: RememberedPoint, label?: string) => ReactElement;

function PointSection({
  title,
  points,
  row,
}: {
  title: string;
  points: readonly RememberedPoint[];
  row: Row;
}): ReactElement | null {
  if (points.length === 0) return null;
  return (
    <section>
      <h3 className={classes.section}>{title}</h3>
      <ul className={classes.points}>{points.map((point) => row(point))}</ul>
    </section>
  );
}

/** Points of all gateways that the user sees. */
function Anywhere({ words, row }: { words: string; row: Row }): ReactElement {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(pointSearchQuery(words));
  if (data === undefined)
    return error === null ? <Skeleton h={80} /> : <Trouble error={error} onRetry={() => void refetch()} />;
  if (data.length === 0) return <Text size="sm">{t('base:history.noPoint')}</Text>;
  return (
    <ul className={classes.points} data-testid="points-anywhere">
      {data.map((match) =>
        row({
          dsid: match.dsid,
          deviceId: match.device_id,
          label: labelOf({
            deviceTitle: match.device_title,
            slave_title: match.slave_title || match.slave,
            ds_title: match.title || match.name,
          }),
        }),
      )}
    </ul>
  );
}

function PointsOf({
  device,
  title,
  words,
  row,
}: {
  device: number;
  title: string;
  words: string;
  row: Row;
}): ReactElement {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery({ ...sourcesQuery(device), meta: { errorInPlace: true } });
  if (data === undefined)
    return error === null ? <Skeleton h={160} /> : <Trouble error={error} onRetry={() => void refetch()} />;
  const wanted = words.trim().toLowerCase();
  const matches = data.filter(
    ({ ds_title, ds_name, rw }) => rw !== 'writeonly' && `${ds_title} ${ds_name}`.toLowerCase().includes(wanted),
  );
  if (matches.length === 0) return <Text size="sm">{t('base:history.noPoint')}</Text>;
  return (
    <>
      {[...Map.groupBy(matches, ({ slave_title }) => slave_title)].map(([slave, sources]) => (
        <section key={slave}>
          <h3 className={classes.section}>{slave}</h3>
          <ul className={classes.points}>
            {sources.map((source) =>
              row(
                pointOf({ ...source, deviceId: device, deviceTitle: title }),
                source.unit === '' ? source.ds_title : `${source.ds_title} (${source.unit})`,
              ),
            )}
          </ul>
        </section>
      ))}
    </>
  );
}
