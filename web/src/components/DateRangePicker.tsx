import { ActionIcon, Group } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { serverNow } from '@/lib/serverClock';
import { steppedSpan } from '@/lib/time';
import { RangePicker } from './RangePicker';
import type { Range } from './useRange';

/** The period of a page: nine quick ranges or start and end, and one period back or on. range: of useRange(). */
export function DateRangePicker({ range }: { range: Range }): ReactElement {
  const { t } = useTranslation();
  const later = steppedSpan(range.span, 1, serverNow());
  return (
    <Group gap={4} wrap="nowrap">
      <ActionIcon
        variant="default"
        size={32}
        aria-label={t('base:range.before')}
        title={t('base:range.before')}
        onClick={() => range.setCustom(steppedSpan(range.span, -1, serverNow()) ?? range.span)}
        data-testid="range-before"
      >
        <IconChevronLeft size={16} stroke={1.6} />
      </ActionIcon>
      <RangePicker quick={range.quick} span={range.span} onQuick={range.setQuick} onCustom={range.setCustom} />
      <ActionIcon
        variant="default"
        size={32}
        aria-label={t('base:range.after')}
        title={t('base:range.after')}
        disabled={later === null}
        onClick={() => later !== null && range.setCustom(later)}
        data-testid="range-after"
      >
        <IconChevronRight size={16} stroke={1.6} />
      </ActionIcon>
    </Group>
  );
}
