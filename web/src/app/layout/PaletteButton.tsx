import { ActionIcon, Tooltip } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useOverlay } from './overlay';
import { useKeys } from './useKeys';

const Palette = lazy(() => import('./palette/Palette'));
const KeysDialog = lazy(() => import('./KeysDialog'));

/** Opens the command palette; so does Ctrl+K, also from an input. The other keys are heard here too. */
export function PaletteButton(): ReactElement {
  const { t } = useTranslation();
  const { current, show } = useOverlay();
  useHotkeys([['mod+K', () => show(useOverlay.getState().current === 'palette' ? null : 'palette')]], []);
  useKeys();
  const close = (): void => show(null);
  return (
    <>
      <Tooltip label={`${t('base:palette.title')} · Ctrl+K`}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          onClick={() => show('palette')}
          aria-label={t('base:palette.title')}
          data-testid="palette"
        >
          <IconSearch size={20} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
      <Suspense fallback={null}>
        {current === 'palette' ? <Palette onClose={close} /> : null}
        {current === 'keys' ? <KeysDialog onClose={close} /> : null}
      </Suspense>
    </>
  );
}
