import { MantineProvider } from '@mantine/core';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { ReactElement } from 'react';
import { FirstLoad } from './layout/FirstLoad';
import { screens } from './manifest';
import { router } from './router';
import { accessibleVariables } from './theme/contrast';
import { useTheme } from './theme/labels';

const WITHOUT_FRAME = new Set(
  screens.filter(({ layout }) => layout !== 'admin').flatMap(({ path, aliases = [] }) => [path, ...aliases]),
);

const Toasts = lazy(() => import('./Toasts'));

export function Portal(): ReactElement {
  const theme = useTheme();
  return (
    <MantineProvider theme={theme} cssVariablesResolver={accessibleVariables} defaultColorScheme="auto">
      <Suspense fallback={null}>
        <Toasts />
      </Suspense>
      <FirstLoad router={router} bare={WITHOUT_FRAME} />
      <RouterProvider router={router} />
    </MantineProvider>
  );
}
