import { Group, Title } from '@mantine/core';
import type { ReactElement } from 'react';

/** Over a form of a trigger, or what stands in its place. */
export function TriggerHead({ title }: { title: string }): ReactElement {
  return (
    <Group data-testid="page-head">
      <Title order={1} size="h3">
        {title}
      </Title>
    </Group>
  );
}
