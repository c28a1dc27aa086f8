import { ActionIcon, Tooltip } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

const Palette = lazy(() => import('./Palette'));

/** Opens the command palette; so does Ctrl+K, also from an input. */
export function PaletteButton(): ReactElement {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  useHotkeys([['mod+K', () => setOpen((shown) => !shown)]], []);
  return (
    <>
      <Tooltip label={`${t('base:palette.title')} · Ctrl+K`}>
        <ActionIcon variant="subtle" color="gray" size="lg" onClick={() => setOpen(true)} aria-label={t('base:palette.title')} data-testid="palette">
          <IconSearch size={20} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
      {open ? (
        <Suspense fallback={null}>
          <Palette onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
