import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { usePerm } from '@/components/permission';
import { ScreenLink } from '@/components/ScreenLink';
import { ToneText } from '@/components/Tone';
import { screenAt } from '@/lib/screens';
import classes from '../overview.module.css';

const LIST = '/monitor/forwarding';

/** How many forwarding targets take no data, with the way to the list of exactly these; nothing while there is none. */
export function TargetsDown({ count }: { count: number }): ReactElement | null {
  const { t } = useTranslation();
  const may = usePerm(screenAt(LIST));
  if (count === 0 || !may) return null;
  return (
    <p className={`${classes.panel} ${classes.strip}`} data-part="targets" data-testid="overview-targets">
      <ToneText tone="bad">
        <ScreenLink path={LIST} search={{ condition: 'trouble' }}>
          {t('overview:targetsDown', { count })}
        </ScreenLink>
      </ToneText>
    </p>
  );
}
