import { ActionIcon } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { RangePicker } from '@/components/RangePicker';
import type { Range } from '@/components/useRange';
import classes from '../completeness.module.css';

interface Props {
  title: ReactNode;
  range: Range;
  children?: ReactNode;
}

export function RangeBar({ title, range, children }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <div className={classes.bar}>
      {title}
      {children}
      <RangePicker quick={range.quick} span={range.span} onQuick={range.setQuick} onCustom={range.setCustom} />
      <ActionIcon
        variant="default"
        size={32}
        onClick={range.refresh}
        aria-label={t('completeness:refresh')}
        title={t('completeness:refresh')}
      >
        <IconRefresh size={16} stroke={1.6} />
      </ActionIcon>
    </div>
  );
}
