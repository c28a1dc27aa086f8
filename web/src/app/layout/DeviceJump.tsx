import { ActionIcon, Loader, Popover, TextInput, Tooltip } from '@mantine/core';
import { IconServer2 } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { listDevices, listPositions } from '@/api/generated/sdk.gen';
import { call } from '@/api/http';
import { deviceTitle } from '@/lib/deviceTitle';
import { useGo } from '@/lib/navigation';
import { screenAt } from '@/lib/screens';
import type { SearchValues } from '@/lib/screens';
import { SEARCH_DEBOUNCE_MS, useDebounced } from '@/lib/useDebounced';
import classes from './fullscreen.module.css';

const OFFERED = 10;
const DETAIL = '/monitorScreen/deviceDetail';
/** Its permission is for the map alone: a device is found among those on it and shown there. */
const GIS = '/gisScreen/screen';
const NEAR_ZOOM = 13;

/** A device that was found, and where it is shown. */
interface Target {
  id: number;
  title: string;
  path: string;
  search: SearchValues;
}

async function onMap(search: string, signal: AbortSignal): Promise<readonly Target[]> {
  const { id, lng, lat, title } = await call(
    listPositions({ query: { gis: true, search: search || undefined }, signal }),
  );
  return id.slice(0, OFFERED).map((one, at) => ({
    id: one,
    title: title[at] ?? '',
    path: GIS,
    search: { device_id: String(one), at: `${lng[at]},${lat[at]},${NEAR_ZOOM}` },
  }));
}

async function ofAll(search: string, path: string, signal: AbortSignal): Promise<readonly Target[]> {
  const { rows } = await call(
    listDevices({ query: { page: 1, limit: OFFERED, search: search || undefined } as never, signal }),
  );
  return rows.map((row) => ({
    id: row.id,
    title: deviceTitle(row),
    path: detailPath(path),
    search: { device_id: String(row.id) },
  }));
}

/** A device's page on the wall stays on the map that it was opened from. */
function detailPath(path: string): string {
  const own = `${path.replace(/\/deviceDetail$/, '')}/deviceDetail`;
  return screenAt(own) === undefined ? DETAIL : own;
}

/** The wall's button to a device: find it by name, then its page. */
export function DeviceJump({ path }: { path: string }): ReactElement {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" width={300} trapFocus>
      <Popover.Target>
        <Tooltip label={t('base:wall.device')} disabled={open}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            onClick={() => setOpen(!open)}
            aria-label={t('base:wall.device')}
            data-testid="wall-device"
          >
            <IconServer2 size={20} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown p={8} aria-label={t('base:wall.device')}>
        <SearchResults path={path} onDone={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

function SearchResults({ path, onDone }: { path: string; onDone: () => void }): ReactElement {
  const { t } = useTranslation();
  const go = useGo();
  const [text, setText] = useState('');
  const search = useDebounced(text.trim(), SEARCH_DEBOUNCE_MS);
  const { data } = useQuery({
    queryKey: ['devices', 'jump', path === GIS, search],
    queryFn: ({ signal }) => (path === GIS ? onMap(search, signal) : ofAll(search, path, signal)),
    placeholderData: keepPreviousData,
  });
  const open = (target: Target): void => {
    onDone();
    go(target.path, target.search);
  };
  return (
    <>
      <TextInput
        data-autofocus
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        placeholder={t('base:wall.deviceSearch')}
        aria-label={t('base:wall.deviceSearch')}
        rightSection={data === undefined ? <Loader size={14} /> : null}
      />
      <ul className={classes.found}>
        {data?.map((target) => (
          <li key={target.id}>
            <button type="button" onClick={() => open(target)} data-testid="wall-found">
              {target.title}
            </button>
          </li>
        ))}
      </ul>
      {data?.length === 0 ? <p className={classes.none}>{t('base:palette.none')}</p> : null}
    </>
  );
}
