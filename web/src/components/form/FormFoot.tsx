import { Button, Group, Text } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

interface Props {
  form: { failure: string; isSaving: boolean };
  disabled: boolean;
  /** Word on the button that saves. */
  save?: string;
  testId?: string;
  /** Buttons beside it. */
  children?: ReactNode;
}

/** The end of a form that stands in a page: why it could not be saved, and the button that saves. */
export function FormFoot({ form, disabled, save, testId, children }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      <div role="alert">
        {form.failure === '' ? null : (
          <Text size="sm" c="red">
            {form.failure}
          </Text>
        )}
      </div>
      <Group>
        <Button type="submit" loading={form.isSaving} disabled={disabled} data-testid={testId}>
          {save ?? t('base:form.save')}
        </Button>
        {children}
      </Group>
    </>
  );
}
