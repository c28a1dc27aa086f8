import { TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FormFoot } from '@/components/form/FormFoot';
import { useApiForm } from '@/components/form/useApiForm';
import { showSuccess } from '@/components/notices';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Trouble } from '@/components/Trouble';
import { gatewayBrandQuery } from '@/blocks/devices/useGatewayBrand';
import { putGatewayBrand } from '../api';
import classes from '../platform.module.css';
import { useMaySet } from './useMaySet';

/** What all gateways of the platform have in common: the name of their brand. */
export function GatewaySetting(): ReactElement {
  const { data, error, refetch } = useQuery({ ...gatewayBrandQuery, refetchOnWindowFocus: false });
  if (error !== null) return <Trouble error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <PageSkeleton /> : <BrandForm brand={data} />;
}

function BrandForm({ brand }: { brand: string }): ReactElement {
  const { t } = useTranslation();
  const may = useMaySet();
  const cache = useQueryClient();
  const form = useApiForm<{ value: string }>({
    values: { value: brand },
    validate: { value: (value) => (value.trim() === '' ? t('platform:gateway.rule') : null) },
    save: ({ value }) => putGatewayBrand(value.trim()),
    onSaved: (_done, draft) => {
      form.fields.resetDirty(draft);
      void cache.invalidateQueries({ queryKey: gatewayBrandQuery.queryKey });
      showSuccess(t('base:form.done.edit'));
    },
  });
  const { fields } = form;
  return (
    <form onSubmit={form.submit} noValidate className={classes.narrow} data-testid="gateway-form">
      <TextInput
        label={t('platform:gateway.brand')}
        description={t('platform:gateway.brandHint')}
        required
        maxLength={50}
        disabled={!may}
        data-testid="gateway-brand"
        {...fields.getInputProps('value')}
      />
      <FormFoot form={form} disabled={!may || !fields.isDirty()} testId="gateway-save" />
    </form>
  );
}
