import { Alert, TextInput, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconMinus, IconPencil, IconPlus, IconSearch } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FieldChange } from '@/blocks/deployment/FieldChange';
import { Empty } from '@/components/Empty';
import { DIFFERENCE_ROWS } from '../api';
import type { ConfigurationDifference } from '../api';
import classes from '../configuration.module.css';
import { linesOf, SECTIONS, totalOf } from '../difference';
import type { Field, Group, Item, Line } from '../difference';
import { LinkWarning } from './LinkWarning';
import { useCountWords } from './useCountWords';
import { useFieldName } from './useFieldName';
import { usePeriodWords } from './usePeriodWords';

const LINE_PX = 32;
const MARKS = { changed: IconPencil, added: IconPlus, removed: IconMinus };

/** What is different, counts first. Long lists stay quick: only what is in view is in the page. */
export function DifferenceView({ difference }: { difference: ConfigurationDifference }): ReactElement {
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const lines = useMemo(() => linesOf(difference, search, closed), [difference, search, closed]);
  if (totalOf(difference) === 0)
    return <Empty title={t('configuration:diff.same')} text={t('configuration:diff.sameText')} />;
  const toggle = (id: string): void =>
    setClosed((known) => {
      const next = new Set(known);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  return (
    <div data-testid="difference">
      {difference.link.length === 0 ? null : (
        <div style={{ padding: '12px 12px 0' }}>
          <LinkWarning difference={difference} />
        </div>
      )}
      <Counts difference={difference} />
      <div style={{ padding: '0 12px 10px' }}>
        <TextInput
          aria-label={t('configuration:diff.filter')}
          placeholder={t('configuration:diff.filter')}
          leftSection={<IconSearch size={15} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          w={300}
          maw="100%"
        />
      </div>
      {difference.truncated ? (
        <Alert color="yellow" mx={12} mb={10}>
          {t('configuration:diff.truncated', { count: DIFFERENCE_ROWS })}
        </Alert>
      ) : null}
      {lines.length === 0 ? (
        <Empty title={t('configuration:diff.noMatch')} />
      ) : (
        <Lines lines={lines} onToggle={toggle} />
      )}
    </div>
  );
}

function Counts({ difference }: { difference: ConfigurationDifference }): ReactElement {
  const { t } = useTranslation();
  const periods = usePeriodWords();
  const countWords = useCountWords();
  const { counts } = difference;
  return (
    <dl className={classes.counts}>
      {SECTIONS.map((section) => {
        const { added, removed, changed } = counts[section];
        return added + removed + changed === 0 ? null : (
          <div key={section}>
            <dt>{t(`configuration:section.${section}`)}</dt>
            <dd data-testid={`count-${section}`}>{countWords(counts[section])}</dd>
          </div>
        );
      })}
      {counts.other === 0 ? null : (
        <div>
          <dt>{t('configuration:section.other')}</dt>
          <dd>{t('configuration:diff.fields', { count: counts.other })}</dd>
        </div>
      )}
      {counts.points_reached === 0 ? null : (
        <div>
          <dt>{t('configuration:diff.reach')}</dt>
          <dd>{t('configuration:diff.reached', { points: counts.points_reached, slaves: counts.slaves_reached })}</dd>
        </div>
      )}
      {difference.periods.slice(0, 3).map((change) => (
        <div key={`${change.before_ms}-${change.after_ms}`}>
          <dt>{t('configuration:diff.period')}</dt>
          <dd>{periods(change)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Lines({ lines, onToggle }: { lines: readonly Line[]; onToggle: (id: string) => void }): ReactElement {
  const { t } = useTranslation();
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => frame.current,
    estimateSize: () => LINE_PX,
    getItemKey: (index) => lines[index]?.id ?? index,
    overscan: 15,
  });
  return (
    <div
      ref={frame}
      className={classes.frame}
      tabIndex={0}
      role="region"
      aria-label={t('configuration:diff.list')}
      data-testid="difference-lines"
    >
      <div className={classes.long} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const line = lines[item.index];
          if (line === undefined) return null;
          return (
            <div
              key={item.key}
              ref={virtual.measureElement}
              data-index={item.index}
              className={classes.line}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              {line.kind === 'group' ? (
                <GroupLine line={line} onToggle={onToggle} />
              ) : line.kind === 'item' ? (
                <ItemLine line={line} />
              ) : (
                <FieldLine line={line} />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function GroupLine({ line, onToggle }: { line: Group; onToggle: (id: string) => void }): ReactElement {
  const { t } = useTranslation();
  const Icon = line.isOpen ? IconChevronDown : IconChevronRight;
  return (
    <UnstyledButton className={classes.group} aria-expanded={line.isOpen} onClick={() => onToggle(line.id)}>
      <Icon size={16} aria-hidden />
      {line.section === 'other' || line.section === 'link'
        ? t(`configuration:section.${line.section}`)
        : `${t(`configuration:section.${line.section}`)} · ${t(`configuration:part.${line.part}`)}`}
      <span className={`${classes.hint} number`}>{line.count}</span>
    </UnstyledButton>
  );
}

function ItemLine({ line }: { line: Item }): ReactElement {
  const { t } = useTranslation();
  const Icon = MARKS[line.part];
  return (
    <div className={classes.item} data-part={line.part}>
      <span className={classes.mark}>
        <Icon size={13} stroke={2.4} aria-label={t(`configuration:part.${line.part}`)} />
      </span>
      {line.name}
    </div>
  );
}

function FieldLine({ line }: { line: Field }): ReactElement {
  const fieldName = useFieldName();
  return <FieldChange field={line.field} words={fieldName(line.field)} before={line.before} after={line.after} />;
}
