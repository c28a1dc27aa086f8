import { Button, Group, Popover, Skeleton, Stack, Text } from '@mantine/core';
import { IconCalendarTime } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { daysOf, formatDateTime, QUICK_RANGES } from '@/lib/time';
import type { QuickRange, Span } from '@/lib/time';

/** The calendar is large and seldom wanted. */
const CustomRange = lazy(() => import('./CustomRange'));

interface Props {
  quick: QuickRange | null;
  span: Span;
  onQuick: (range: QuickRange) => void;
  onCustom: (span: Span) => void;
}

/** Nine quick ranges, or a start and an end. */
export function RangePicker({ quick, span, onQuick, onCustom }: Props): ReactElement {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const fullText = `${formatDateTime(span.start_ms)} – ${formatDateTime(span.end_ms)}`;
  const days = quick === null ? '' : daysOf(quick, span);
  const text = quick === null ? fullText : t(`base:range.${quick}`);
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" trapFocus withinPortal>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconCalendarTime size={16} stroke={1.6} />}
          onClick={() => setOpen(!open)}
          aria-haspopup="dialog"
          title={fullText}
          data-testid="range-picker"
        >
          <span className="number">{text}</span>
          {days === '' ? null : (
            <Text span size="sm" c="dimmed" ml={8} className="number" visibleFrom="sm" data-testid="range-days">
              {days}
            </Text>
          )}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('base:range.title')}>
        <Group align="flex-start" gap="md" maw={440}>
          <Stack gap={2}>
            {QUICK_RANGES.map((range) => (
              <Button
                key={range}
                variant={range === quick ? 'light' : 'subtle'}
                color={range === quick ? undefined : 'gray'}
                justify="flex-start"
                size="compact-md"
                onClick={() => {
                  setOpen(false);
                  onQuick(range);
                }}
                data-testid={`range-${range}`}
              >
                {t(`base:range.${range}`)}
              </Button>
            ))}
          </Stack>
          <Suspense fallback={<Skeleton h={180} w={210} />}>
            <CustomRange
              span={span}
              onApply={(next) => {
                setOpen(false);
                onCustom(next);
              }}
            />
          </Suspense>
        </Group>
      </Popover.Dropdown>
    </Popover>
  );
}
