import { MantineProvider } from '@mantine/core';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { ReactElement } from 'react';
import { router } from './router';
import { accessibleVariables } from './theme/contrast';
import { theme } from './theme/theme';

const Toasts = lazy(() => import('./Toasts'));

export function Portal(): ReactElement {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={accessibleVariables} defaultColorScheme="auto">
      <Suspense fallback={null}>
        <Toasts />
      </Suspense>
      <RouterProvider router={router} />
    </MantineProvider>
  );
}
