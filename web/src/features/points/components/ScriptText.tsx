import { Textarea } from '@mantine/core';
import { useRef } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import classes from '../points.module.css';

const FEWEST_ROWS = 8;
const MAX_ROWS = 24;

/** The lines of a script, numbered; the numbers scroll with the text. */
export function ScriptText({ value, onChange }: { value: string; onChange: (text: string) => void }): ReactElement {
  const { t } = useTranslation();
  const numbers = useRef<HTMLPreElement>(null);
  const lines = value.split('\n').length;
  return (
    <Textarea
      mt="sm"
      label={t('points:script.text')}
      description={t('points:script.help')}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onScroll={({ currentTarget }) => numbers.current?.scrollTo({ top: currentTarget.scrollTop })}
      rows={Math.min(Math.max(lines + 1, FEWEST_ROWS), MAX_ROWS)}
      wrap="off"
      maxLength={20_000}
      spellCheck={false}
      leftSectionWidth={40}
      leftSection={
        <pre ref={numbers} aria-hidden className={classes.lineNumbers} data-testid="script-lines">
          {Array.from({ length: lines }, (_, at) => at + 1).join('\n')}
        </pre>
      }
      classNames={{ input: classes.script }}
      data-testid="script-text"
    />
  );
}
