import { ActionIcon, Select, Text, Tooltip } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { findDevices } from '@/blocks/devices/devicePicker';
import { AsyncPicker } from '@/components/AsyncPicker';
import type { ApiForm } from '@/components/form/useApiForm';
import { errorText } from '@/components/notices';
import { ScreenLink } from '@/components/ScreenLink';
import { presetsQuery } from '../api';
import type { Draft, LinkageDraft } from '../draft';
import classes from '../triggers.module.css';

interface Props {
  form: ApiForm<Draft>;
  path: string;
  linkage: LinkageDraft;
  onRemove: () => void;
}

/** A preset that is carried out when the alarm begins or ends. */
export function LinkageFields({ form, path, linkage, onRemove }: Props): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const { data, isFetching, error } = useQuery(presetsQuery(Number(linkage.device?.value ?? 0)));
  const presets = data ?? [];
  const failed = error === null ? null : errorText(error) || t('base:error.failed');
  const input = fields.getInputProps(`${path}.preset`);
  return (
    <div className={classes.condition} role="group" aria-label={t('triggers:linkage')}>
      <div className={classes.fields}>
        <Select
          label={t('triggers:field.on')}
          data={['raised', 'cleared'].map((value) => ({ value, label: t(`triggers:on.${value}`) }))}
          allowDeselect={false}
          {...fields.getInputProps(`${path}.on`)}
        />
        <AsyncPicker
          label={t('triggers:field.device')}
          value={linkage.device}
          onChange={(chosen) => {
            fields.setFieldValue(`${path}.device`, chosen);
            if (chosen?.value !== linkage.device?.value) fields.setFieldValue(`${path}.preset`, null);
          }}
          load={findDevices}
          queryKey={['device', 'pick']}
          required
          testId={`${path}-device`}
        />
        <Select
          label={t('triggers:field.preset')}
          data={presets.map(({ id, title }) => ({ value: String(id), label: title }))}
          searchable
          required
          disabled={linkage.device === null}
          nothingFoundMessage={isFetching ? t('base:loading') : (failed ?? t('triggers:noPresets'))}
          data-testid={`${path}-preset`}
          {...input}
          error={failed ?? (input.error as ReactNode)}
        />
      </div>
      {linkage.device === null || data === undefined ? null : (
        <Text size="sm" c="dimmed" data-testid={`${path}-presets`}>
          {presets.length === 0 ? `${t('triggers:noPresetsText')} ` : null}
          <ScreenLink path="/deviceDetail/index" search={{ device_id: linkage.device.value, tab: 'command' }}>
            {t('triggers:toPresets')}
          </ScreenLink>
        </Text>
      )}
      <Tooltip label={t('triggers:removeLinkage')}>
        <ActionIcon
          variant="subtle"
          color="gray"
          onClick={onRemove}
          aria-label={t('triggers:removeLinkage')}
          data-testid={`${path}-remove`}
        >
          <IconTrash size={16} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}
