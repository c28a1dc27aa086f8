import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { all } from '@/lib/screens';
import { usePerm } from '@/components/permission';
import { ScreenLink } from '@/components/ScreenLink';
import type { Template } from './api';

const SCREENS = { gateway: '/device/template', point: '/device/slaveDeviceTemplate' } as const;
const EDITOR = all('DeviceTemplate', 'Monitor.DeviceMonitor');

/** In place of choices where there is no template yet, with the way to make one for who may. */
export function NoTemplates({ category }: { category: Template['category'] }): ReactElement {
  const { t } = useTranslation();
  const may = usePerm(EDITOR);
  return (
    <span data-testid="no-templates">
      {t('templates:none')}
      {may ? ' · ' : null}
      {may ? (
        <ScreenLink path={SCREENS[category]} data-testid="no-templates-make">
          {t('templates:makeOne')}
        </ScreenLink>
      ) : null}
    </span>
  );
}
