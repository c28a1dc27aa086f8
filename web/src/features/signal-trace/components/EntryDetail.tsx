import { CloseButton, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '@/components/CopyText';
import type { TraceEntry } from '@/lib/live';
import { formatDateTime } from '@/lib/time';
import { entryText, fieldText, hexDump } from '../texts';
import classes from '../trace.module.css';

/** One entry: when, of whom, its bytes in rows, and what was decoded. */
export function EntryDetail({ entry, onClose }: { entry: TraceEntry; onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const data = entry.data ?? '';
  const size = entry.size ?? 0;
  const cut = entry.kind === 'frame' && entry.hidden !== true ? size - data.length / 2 : 0;
  return (
    <section className={classes.detail} aria-label={t('signal-trace:detail.title')} data-testid="strace-detail">
      <div className={classes.head}>
        <Text size="sm" fw={600}>
          {formatDateTime(entry.t_ms, true)} · {t(`signal-trace:kind.${entry.kind}`, { defaultValue: entry.kind })}
          {[entry.source, entry.device].filter(Boolean).map((name) => ` · ${name}`)}
          {entry.direction === undefined ? null : ` · ${t(`signal-trace:direction.${entry.direction}`)}`}
          {entry.code ? ` · ${t(`signal-trace:code.${entry.code}`, { defaultValue: entry.code })}` : null}
        </Text>
        <CopyButton text={entryText(entry)} name={t('signal-trace:detail.entry')} testId="strace-copy" />
        <CloseButton aria-label={t('signal-trace:detail.close')} onClick={onClose} />
      </div>
      {entry.hidden === true ? <Text size="sm">{t('signal-trace:hidden', { size })}</Text> : null}
      {entry.text ? <pre className={classes.dump}>{entry.text}</pre> : null}
      {data === '' ? null : (
        <pre className={classes.dump} data-testid="strace-dump">
          {hexDump(data)}
        </pre>
      )}
      {cut > 0 ? <Text size="xs">{t('signal-trace:detail.cut', { count: cut })}</Text> : null}
      {entry.error ? (
        <Text size="sm" className={classes.warn}>
          {t('signal-trace:detail.error', { error: entry.error })}
        </Text>
      ) : null}
      {entry.fields === undefined ? null : (
        <dl className={classes.fields} data-testid="strace-fields">
          {Object.entries(entry.fields).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{fieldText(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
