import { Alert, Button, Code, Group, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { TryBody } from '@/api/generated/types.gen';
import { errorText } from '@/components/notices';
import { currentValues, tryScript } from '../api';
import { linesOf, pairsOf, POINT, samplesOf, takenInto } from '../model/script';

const WAITING: ReadonlySet<string> = new Set(['create', 'send']);

interface Props {
  deviceId: number;
  /** Whose points are meant by a name alone. */
  slave: string;
  /** Points by name of the input. */
  references: Readonly<Record<string, string>>;
  bodyOf: (values: string) => TryBody;
  hindrance: string;
  disabled: boolean;
}

/** A run on the gateway itself, on sample values; nothing of what it runs changes. */
export function Trial({ deviceId, slave, references, bodyOf, hindrance, disabled }: Props): ReactElement {
  const { t } = useTranslation();
  const [values, setValues] = useState(() => samplesOf(references, slave, new Map()));
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => tryScript(deviceId, bodyOf(values)),
    meta: { errorInPlace: true },
  });
  const taking = useMutation({
    mutationFn: (_source: string) => currentValues(deviceId),
    meta: { errorInPlace: true },
    onSuccess: (reply, requested) => setValues((now) => takenInto(references, slave, reply, requested, now)),
  });
  const { faulty } = pairsOf(values, POINT);
  const failure = error ?? taking.error;
  return (
    <section aria-label={t('points:script.try')} style={{ marginTop: 16 }}>
      <Textarea
        label={t('points:script.values')}
        description={t('points:script.valuesHint')}
        value={values}
        error={faulty === null ? null : t('points:script.faulty', { line: faulty })}
        autosize
        minRows={2}
        maxRows={8}
        onChange={(event) => setValues(event.currentTarget.value)}
        styles={{ input: { fontFamily: 'monospace' } }}
        data-testid="script-values"
      />
      <Group gap="xs" mt="xs">
        <Button
          variant="default"
          size="compact-sm"
          disabled={Object.keys(references).length === 0}
          loading={taking.isPending}
          onClick={() => taking.mutate(values)}
          data-testid="script-current"
        >
          {t('points:script.current')}
        </Button>
        <Button
          variant="light"
          size="compact-sm"
          disabled={disabled || faulty !== null || hindrance !== ''}
          title={hindrance || undefined}
          loading={isPending}
          onClick={() => mutate()}
          data-testid="script-try"
        >
          {t('points:script.try')}
        </Button>
      </Group>
      <div role="status">
        {failure === null ? null : (
          <Alert color="red" mt="xs">
            {errorText(failure)}
          </Alert>
        )}
        {data === undefined ? null : data.status === 'resp' ? (
          <Code block mt="xs" data-testid="script-result">
            {linesOf(data.result_values ?? {})}
          </Code>
        ) : (
          <Alert color="yellow" mt="xs" data-testid="script-refused">
            {WAITING.has(data.status)
              ? t('points:script.noAnswer')
              : data.status === 'networkError'
                ? t('points:script.offline')
                : t('points:script.refused')}{' '}
            {data.detail}
          </Alert>
        )}
      </div>
    </section>
  );
}
