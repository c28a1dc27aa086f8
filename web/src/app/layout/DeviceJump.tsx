import { ActionIcon, Loader, Popover, TextInput, Tooltip } from '@mantine/core';
import { IconServer2 } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { listDevices } from '@/api/generated/sdk.gen';
import { call } from '@/api/http';
import { deviceTitle } from '@/lib/deviceTitle';
import { useGo } from '@/lib/navigation';
import { screenAt } from '@/lib/screens';
import { SEARCH_DEBOUNCE_MS, useDebounced } from '@/lib/useDebounced';
import classes from './fullscreen.module.css';

const OFFERED = 10;
const DETAIL = '/monitorScreen/deviceDetail';

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
          <ActionIcon variant="subtle" color="gray" size="lg" onClick={() => setOpen(!open)} aria-label={t('base:wall.device')} data-testid="wall-device">
            <IconServer2 size={20} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown p={8} aria-label={t('base:wall.device')}>
        <Found path={path} onDone={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Found({ path, onDone }: { path: string; onDone: () => void }): ReactElement {
  const { t } = useTranslation();
  const go = useGo();
  const [text, setText] = useState('');
  const search = useDebounced(text.trim(), SEARCH_DEBOUNCE_MS);
  const { data } = useQuery({
    queryKey: ['devices', 'jump', search],
    queryFn: ({ signal }) => call(listDevices({ query: { page: 1, limit: OFFERED, search: search || undefined } as never, signal })),
    placeholderData: keepPreviousData,
  });
  const open = (id: number): void => {
    onDone();
    go(detailPath(path), { device_id: id });
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
        {data?.rows.map((device) => (
          <li key={device.id}>
            <button type="button" onClick={() => open(device.id)}>
              {deviceTitle(device)}
            </button>
          </li>
        ))}
      </ul>
      {data?.rows.length === 0 ? <p className={classes.none}>{t('base:palette.none')}</p> : null}
    </>
  );
}
