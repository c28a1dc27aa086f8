import { Button, FileButton, Group, Text, TextInput } from '@mantine/core';
import { IconTrash, IconUpload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { MapBorders } from '@/api/generated/types.gen';
import { FormFoot } from '@/components/form/FormFoot';
import { useApiForm } from '@/components/form/useApiForm';
import { bordersQuery } from '@/blocks/map/mapOptions';
import { showSuccess } from '@/components/notices';
import { putMapBorders } from '../api';
import { bordersOf, MAX_FILE_BYTES, MAX_VERTICES } from '../borders';
import classes from '../platform.module.css';
import { useMaySet } from './useMaySet';

type Draft = { approval: string; lines: [number, number][][] };

const verticesOf = (lines: Draft['lines']): number => lines.reduce((sum, line) => sum + line.length, 0);

/** Lines that the operator may show, with the number of their approval; the portal has none of its own. */
export function MapBordersForm({ borders }: { borders: MapBorders }): ReactElement {
  const { t } = useTranslation();
  const may = useMaySet();
  const cache = useQueryClient();
  const [fault, setFault] = useState('');
  const form = useApiForm<Draft>({
    values: { approval: borders.approval ?? '', lines: borders.lines ?? [] },
    validate: {
      approval: (number, draft) => (draft.lines.length > 0 && number.trim() === '' ? t('platform:borders.rule') : null),
    },
    save: (draft) => putMapBorders(cleanOf(draft)),
    onSaved: (_done, draft) => {
      form.fields.resetDirty(draft);
      cache.setQueryData(bordersQuery.queryKey, cleanOf(draft));
      showSuccess(t('base:form.done.edit'));
    },
  });
  const { fields } = form;
  const draft = fields.getValues();
  const take = async (file: File | null): Promise<void> => {
    if (file === null) return;
    const result = file.size > MAX_FILE_BYTES ? ({ fault: 'many', count: 0 } as const) : bordersOf(await file.text());
    setFault('fault' in result ? t(`platform:borders.fault.${result.fault}`, { most: MAX_VERTICES }) : '');
    if ('lines' in result) fields.setFieldValue('lines', result.lines);
  };
  return (
    <form onSubmit={form.submit} noValidate className={classes.fields} data-testid="map-borders-form">
      <h2>{t('platform:borders.title')}</h2>
      <p className={classes.lead}>{t('platform:borders.lead')}</p>
      <Group gap={8}>
        <FileButton
          accept=".geojson,.json,application/geo+json"
          onChange={(file) => void take(file)}
          disabled={!may}
          inputProps={{ 'aria-label': t('platform:borders.choose') }}
        >
          {(props) => (
            <Button
              {...props}
              variant="default"
              leftSection={<IconUpload size={16} />}
              disabled={!may}
              data-testid="borders-choose"
            >
              {t('platform:borders.choose')}
            </Button>
          )}
        </FileButton>
        <Text size="sm" role="status" data-testid="borders-count">
          {draft.lines.length === 0
            ? t('platform:borders.none')
            : t('platform:borders.count', { lines: draft.lines.length, vertices: verticesOf(draft.lines) })}
        </Text>
        {draft.lines.length === 0 ? null : (
          <Button
            variant="subtle"
            color="red"
            size="compact-sm"
            leftSection={<IconTrash size={14} />}
            disabled={!may}
            onClick={() => fields.setFieldValue('lines', [])}
          >
            {t('platform:borders.remove')}
          </Button>
        )}
      </Group>
      <div role="alert">
        {fault === '' ? null : (
          <Text size="sm" c="red">
            {fault}
          </Text>
        )}
      </div>
      <TextInput
        label={t('platform:borders.approval')}
        placeholder={t('platform:borders.example')}
        maxLength={100}
        disabled={!may || draft.lines.length === 0}
        data-testid="borders-approval"
        {...fields.getInputProps('approval')}
      />
      <FormFoot form={form} disabled={!may || !fields.isDirty()} testId="borders-save" />
    </form>
  );
}

function cleanOf({ approval, lines }: Draft): Draft {
  return { approval: lines.length === 0 ? '' : approval.trim(), lines };
}
