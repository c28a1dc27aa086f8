import { Anchor, Button, Drawer, Select, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useScreenLink } from '@/lib/navigation';
import { FormDrawer } from '@/components/form/FormDrawer';
import { PermissionGate } from '@/components/permission';
import { Trouble } from '@/components/Trouble';
import { pointRetentionQuery } from './api';
import type { OfPoint } from './api';
import { RetentionFields } from './RetentionFields';
import { OwnLimit } from './OwnLimit';
import { useRetentionForm } from './useRetentionForm';

interface Point {
  dsid: number;
  label: string;
}

interface Props {
  /** One at least; the first is shown first. */
  points: readonly Point[];
  onClose: () => void;
}

/** How long the history of a point is kept: its own days, or those of what is above it. */
export default function PointRetention({ points, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const [dsid, setDsid] = useState(points[0]?.dsid ?? 0);
  const { data, error, refetch } = useQuery({ ...pointRetentionQuery(dsid), refetchOnWindowFocus: false });
  const choice =
    points.length < 2 ? (
      <Text fw={600}>{points[0]?.label}</Text>
    ) : (
      <Select
        label={t('base:history.point')}
        data={points.map((point) => ({ value: String(point.dsid), label: point.label }))}
        value={String(dsid)}
        onChange={(value) => value !== null && setDsid(Number(value))}
        allowDeselect={false}
        data-testid="retention-point"
      />
    );
  if (data !== undefined) return <Days key={dsid} of={data} choice={choice} onClose={onClose} />;
  return (
    <Drawer opened onClose={onClose} title={t('base:retention.title')} size={460}>
      <Stack>
        {choice}
        {error === null ? <Skeleton h={320} /> : <Trouble error={error} onRetry={() => void refetch()} />}
      </Stack>
    </Drawer>
  );
}

function Days({ of, choice, onClose }: { of: OfPoint; choice: ReactElement; onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const settings = useScreenLink('/other/dataRetention');
  const { form, takeBack, dialog } = useRetentionForm({ dsid: of.dsid }, of.kept, onClose);
  return (
    <>
      <FormDrawer title={t('base:retention.title')} form={form} onClose={onClose} proposed={of.source !== 'point'}>
        {choice}
        <Text size="sm" role="status" data-testid="retention-source" data-source={of.source}>
          {t(`base:retention.source.${of.source}`)}
        </Text>
        <OwnLimit limitS={of.own_limit_s} />
        <RetentionFields form={form} />
        {of.source === 'point' ? (
          <Button variant="default" onClick={takeBack} data-testid="retention-back">
            {t('base:retention.back')}
          </Button>
        ) : null}
        <PermissionGate asks="SystemSetting">
          <Anchor {...settings} size="sm">
            {t('base:retention.all')}
          </Anchor>
        </PermissionGate>
      </FormDrawer>
      {dialog}
    </>
  );
}
