import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { RouterProvider } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { router } from './router';
import { accessibleVariables } from './theme/contrast';
import { theme } from './theme/theme';

export function Portal(): ReactElement {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={accessibleVariables} defaultColorScheme="auto">
      <Notifications position="bottom-center" limit={3} />
      <RouterProvider router={router} />
    </MantineProvider>
  );
}
