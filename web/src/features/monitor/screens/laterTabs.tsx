import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';

/** A tab that is announced and not built: it says what it will show. */
function Later({ name }: { name: 'scada' | 'camera' }): ReactElement {
  const { t } = useTranslation();
  return (
    <Empty title={t('monitor:later.title', { tab: t(`monitor:tab.${name}`) })} text={t(`monitor:later.${name}`)} />
  );
}

export function ScadaTab(): ReactElement {
  return <Later name="scada" />;
}

export function CameraTab(): ReactElement {
  return <Later name="camera" />;
}
