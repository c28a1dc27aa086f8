import { ActionIcon, Group, TextInput } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconSearch } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import classes from '../configuration.module.css';

const LINE_PX = 20;

/** A long text of which only the lines in view are in the page, with a search of its own. line: from 1, marked and shown. */
export function SourceText({ text, line }: { text: string; line: number | null }): ReactElement {
  const { t } = useTranslation();
  const lines = useMemo(() => text.split('\n'), [text]);
  const [wanted, setWanted] = useState('');
  const [current, setCurrent] = useState(0);
  const matches = useMemo(() => linesWith(lines, wanted), [lines, wanted]);
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => frame.current,
    estimateSize: () => LINE_PX,
    overscan: 20,
  });
  const marked = wanted === '' ? (line === null ? null : line - 1) : (matches[current] ?? null);
  useEffect(() => {
    if (marked !== null) virtual.scrollToIndex(marked, { align: 'center' });
    // Only a new place scrolls; the virtual list itself changes with every step.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [marked]);
  const step = (by: number): void =>
    setCurrent((at) => (matches.length === 0 ? 0 : (at + by + matches.length) % matches.length));
  return (
    <>
      <Group gap={6} px={12} pb={10}>
        <TextInput
          aria-label={t('configuration:find')}
          placeholder={t('configuration:find')}
          leftSection={<IconSearch size={15} />}
          value={wanted}
          onChange={(event) => {
            setWanted(event.currentTarget.value);
            setCurrent(0);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
          }}
          w={260}
          maw="100%"
          data-testid="find-text"
        />
        <ActionIcon
          variant="default"
          size={32}
          disabled={matches.length === 0}
          onClick={() => step(-1)}
          aria-label={t('configuration:findPrevious')}
        >
          <IconChevronUp size={16} />
        </ActionIcon>
        <ActionIcon
          variant="default"
          size={32}
          disabled={matches.length === 0}
          onClick={() => step(1)}
          aria-label={t('configuration:findNext')}
        >
          <IconChevronDown size={16} />
        </ActionIcon>
        <span className={`${classes.hint} number`} aria-live="polite">
          {wanted === ''
            ? t('configuration:lines', { count: lines.length })
            : `${matches.length === 0 ? 0 : current + 1} / ${matches.length}`}
        </span>
      </Group>
      <div
        ref={frame}
        className={`${classes.frame} ${classes.source}`}
        tabIndex={0}
        role="region"
        aria-label={t('configuration:documentText')}
        data-testid="document-text"
      >
        <div className={classes.long} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => (
            <div
              key={item.key}
              className={classes.sourceLine}
              data-found={item.index === marked}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <span className={classes.number} aria-hidden>
                {item.index + 1}
              </span>
              <span>{lines[item.index]}</span>
            </div>
          ))}
        </div>
      </div>
    </>
  );
}

function linesWith(lines: readonly string[], wanted: string): number[] {
  const search = wanted.toLowerCase();
  if (search === '') return [];
  return lines.flatMap((text, at) => (text.toLowerCase().includes(search) ? [at] : []));
}
