import { MantineProvider } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { accessibleVariables } from '@/app/theme/contrast';
import { useTheme } from '@/app/theme/labels';

/** The portal's theme, with its labels in the language of the moment. isTest: without transitions. */
export function Themed({ isTest = false, children }: { isTest?: boolean; children: ReactNode }): ReactElement {
  return (
    <MantineProvider
      theme={useTheme()}
      cssVariablesResolver={accessibleVariables}
      defaultColorScheme="auto"
      env={isTest ? 'test' : 'default'}
    >
      {children}
    </MantineProvider>
  );
}
