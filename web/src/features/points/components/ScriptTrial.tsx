import { Alert, Button, Code, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/components/notices';
import { tryScript } from '../api';
import { linesOf, pairsOf, tryOf } from '../model/script';
import type { ScriptDraft } from '../model/script';

const WAITING: ReadonlySet<string> = new Set(['create', 'send']);

interface Props {
  deviceId: number;
  draft: ScriptDraft;
  outputs: readonly string[];
  hindrance: string;
  disabled: boolean;
}

/** A run on the gateway itself, on sample values; nothing of what it runs changes. */
export function ScriptTrial({ deviceId, draft, outputs, hindrance, disabled }: Props): ReactElement {
  const { t } = useTranslation();
  const [values, setValues] = useState(() => Object.keys(pairsOf(draft.inputs).pairs).map((name) => `${name} = 0`).join('\n'));
  const { mutate, data, error, isPending } = useMutation({ mutationFn: () => tryScript(deviceId, tryOf(draft, values, outputs)), meta: { shownInPlace: true } });
  const { faulty } = pairsOf(values);
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
        data-testid="script-values"
      />
      <Button variant="light" mt="xs" size="compact-sm" disabled={disabled || faulty !== null || hindrance !== ''} loading={isPending} onClick={() => mutate()} data-testid="script-try">
        {t('points:script.try')}
      </Button>
      <div role="status">
        {error === null ? null : <Alert color="red" mt="xs">{errorText(error)}</Alert>}
        {data === undefined ? null : data.status === 'resp' ? (
          <Code block mt="xs" data-testid="script-result">{linesOf(data.result_values ?? {})}</Code>
        ) : (
          <Alert color="yellow" mt="xs" data-testid="script-refused">
            {WAITING.has(data.status) ? t('points:script.noAnswer') : data.status === 'networkError' ? t('points:script.offline') : t('points:script.refused')} {data.detail}
          </Alert>
        )}
      </div>
    </section>
  );
}
