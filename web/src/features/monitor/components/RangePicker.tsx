import '@mantine/dates/styles.css';
import 'dayjs/locale/zh-cn';
import { Button, Group, Popover, Stack, Text } from '@mantine/core';
import { DateTimePicker } from '@mantine/dates';
import { IconCalendarTime } from '@tabler/icons-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime, QUICK_RANGES } from '@/lib/time';
import type { QuickRange, Span } from '@/lib/time';

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
  const text = quick === null ? `${formatDateTime(span.start_ms)} – ${formatDateTime(span.end_ms)}` : t(`monitor:range.${quick}`);
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" trapFocus withinPortal>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconCalendarTime size={16} stroke={1.6} />}
          onClick={() => setOpen(!open)}
          aria-haspopup="dialog"
          data-testid="range-picker"
        >
          <span className="number">{text}</span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('monitor:range.title')}>
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
                {t(`monitor:range.${range}`)}
              </Button>
            ))}
          </Stack>
          <Custom
            span={span}
            onApply={(next) => {
              setOpen(false);
              onCustom(next);
            }}
          />
        </Group>
      </Popover.Dropdown>
    </Popover>
  );
}

function Custom({ span, onApply }: { span: Span; onApply: (span: Span) => void }): ReactElement {
  const { t, i18n } = useTranslation();
  const [start, setStart] = useState<string | null>(formatDateTime(span.start_ms));
  const [end, setEnd] = useState<string | null>(formatDateTime(span.end_ms));
  const chosen = { start_ms: parse(start), end_ms: parse(end) };
  const isValid = chosen.start_ms < chosen.end_ms;
  const shared = {
    valueFormat: 'YYYY-MM-DD HH:mm:ss',
    withSeconds: true,
    locale: i18n.language === 'zh' ? 'zh-cn' : 'en',
    popoverProps: { withinPortal: false },
    size: 'sm',
  } as const;
  return (
    <Stack gap="sm" flex={1} miw={210}>
      <DateTimePicker {...shared} label={t('monitor:range.start')} value={start} onChange={setStart} />
      <DateTimePicker {...shared} label={t('monitor:range.end')} value={end} onChange={setEnd} />
      {isValid ? null : (
        <Text size="xs" c="red">
          {t('monitor:range.order')}
        </Text>
      )}
      <Button disabled={!isValid} onClick={() => onApply(chosen)} data-testid="range-apply">
        {t('monitor:range.apply')}
      </Button>
    </Stack>
  );
}

/** 'YYYY-MM-DD HH:mm:ss' of the browser's time zone; NaN for none. */
function parse(text: string | null): number {
  return text === null ? NaN : new Date(text.replace(' ', 'T')).getTime();
}
