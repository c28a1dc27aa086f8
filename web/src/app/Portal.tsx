import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { queryClient } from './queryClient';
import { router } from './router';
import { accessibleVariables } from './theme/contrast';
import { theme } from './theme/theme';

export function Portal(): ReactElement {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={accessibleVariables} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-center" limit={3} />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
