import { Alert, Button, Code, Drawer, Group, Select, SimpleGrid, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { NumberField } from '@/components/form/NumberField';
import { useUnsavedChanges } from '@/components/form/useUnsavedChanges';
import { errorText } from '@/components/notices';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Trouble } from '@/components/Trouble';
import { deleteScript, saveScript, scriptsQuery } from '../api';
import type { Scripts } from '../api';
import { bodyOf, draftOf, pairsOf, tryOf } from '../model/script';
import type { ScriptDraft } from '../model/script';
import { ScriptText } from './ScriptText';
import { Trial } from './Trial';

interface Props {
  deviceId: number;
  slaves: readonly string[];
  /** Empty: it may be changed. */
  hindrance: string;
  onClose: () => void;
}

/** Scripts of calculated points: chosen, written, tried out on the gateway, kept in the draft. */
export default function ScriptDrawer({ deviceId, slaves, hindrance, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(scriptsQuery(deviceId));
  const [chosen, setChosen] = useState<string | null>(null);
  const names = data?.rows.map(({ fields }) => fields.name) ?? [];
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={640}
      title={t('points:script.title')}
      data-testid="script-drawer"
    >
      {error !== null ? (
        <Trouble error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <PageSkeleton rows={3} />
      ) : (
        <>
          <Select
            label={t('points:script.which')}
            data={[{ value: '', label: t('points:script.new') }, ...names.map((value) => ({ value, label: value }))]}
            value={chosen ?? names[0] ?? ''}
            onChange={(name) => setChosen(name ?? '')}
            allowDeselect={false}
            mb="sm"
            data-testid="script-which"
          />
          <ScriptEditor
            key={`${chosen ?? names[0] ?? ''}/${data.base}`}
            deviceId={deviceId}
            scripts={data}
            was={(chosen ?? names[0]) || null}
            slaves={slaves}
            hindrance={hindrance}
            onDone={setChosen}
          />
        </>
      )}
    </Drawer>
  );
}

interface EditorProps extends Omit<Props, 'onClose'> {
  scripts: Scripts;
  /** The script that is changed; null for a new one. */
  was: string | null;
  onDone: (name: string | null) => void;
}

function ScriptEditor({ deviceId, scripts, was, slaves, hindrance, onDone }: EditorProps): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const row = scripts.rows.find(({ fields }) => fields.name === was);
  const [before] = useState<ScriptDraft>(() =>
    row === undefined
      ? { name: 'script1', slave: slaves[0] ?? '', text: '', inputs: '', state: '', capture_freq: 1, timeout_ms: 50 }
      : draftOf(row.fields),
  );
  const [draft, setDraft] = useState(before);
  const release = useUnsavedChanges(draft !== before);
  const onSuccess = (name: string | null): void => {
    release();
    void cache.invalidateQueries({ queryKey: ['points', deviceId] });
    void cache.invalidateQueries({ queryKey: ['configuration', deviceId] });
    onDone(name);
  };
  const saving = useMutation({
    mutationFn: () => saveScript(deviceId, was, bodyOf(draft), scripts.base ?? null),
    meta: { errorInPlace: true },
    onSuccess: () => onSuccess(draft.name),
  });
  const removing = useMutation({
    mutationFn: () => deleteScript(deviceId, was ?? ''),
    meta: { errorInPlace: true },
    onSuccess: () => onSuccess(null),
  });
  const failure = saving.error ?? removing.error;
  const put = (change: Partial<ScriptDraft>): void => setDraft({ ...draft, ...change });
  const fault = (lines: string): string | null => {
    const { faulty } = pairsOf(lines);
    return faulty === null ? null : t('points:script.faulty', { line: faulty });
  };
  const isWrong =
    !/^[\w-]{1,64}$/.test(draft.name) ||
    draft.slave === '' ||
    draft.text.trim() === '' ||
    fault(draft.inputs) !== null ||
    fault(draft.state) !== null;
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label={t('points:script.name')}
          value={draft.name}
          maxLength={64}
          onChange={(event) => put({ name: event.currentTarget.value })}
          data-testid="script-name"
        />
        <Select
          label={t('points:script.slave')}
          data={[...slaves]}
          value={draft.slave}
          allowDeselect={false}
          onChange={(slave) => put({ slave: slave ?? '' })}
          data-testid="script-slave"
        />
        <Textarea
          label={t('points:script.inputs')}
          description={t('points:script.inputsHint')}
          value={draft.inputs}
          error={fault(draft.inputs)}
          autosize
          minRows={2}
          maxRows={8}
          onChange={(event) => put({ inputs: event.currentTarget.value })}
          data-testid="script-inputs"
        />
        <Textarea
          label={t('points:script.state')}
          description={t('points:script.stateHint')}
          value={draft.state}
          error={fault(draft.state)}
          autosize
          minRows={2}
          maxRows={8}
          onChange={(event) => put({ state: event.currentTarget.value })}
          data-testid="script-state"
        />
      </SimpleGrid>
      <ScriptText value={draft.text} onChange={(text) => put({ text })} />
      <Text size="sm" mt={6} c="dimmed" data-testid="script-outputs">
        {row === undefined || row.outputs.length === 0
          ? t('points:script.noOutputs', { name: draft.name })
          : t('points:script.outputs')}{' '}
        {row?.outputs.map((name) => (
          <Code key={name}>{name} </Code>
        ))}
      </Text>
      <SimpleGrid cols={2} spacing="sm" mt="sm">
        <NumberField
          label={t('points:script.capture_freq')}
          min={1}
          max={100_000}
          allowDecimal={false}
          value={draft.capture_freq}
          onChange={(value) => put({ capture_freq: value })}
        />
        <NumberField
          label={t('points:script.timeout_ms')}
          min={1}
          max={1000}
          allowDecimal={false}
          value={draft.timeout_ms}
          onChange={(value) => put({ timeout_ms: value })}
        />
      </SimpleGrid>
      <Trial
        deviceId={deviceId}
        slave={draft.slave}
        references={pairsOf(draft.inputs).pairs}
        bodyOf={(values) => tryOf(draft, values, row?.outputs ?? [])}
        hindrance={hindrance}
        disabled={isWrong}
      />
      <div role="alert">
        {failure === null ? null : (
          <Alert color="red" mt="sm">
            {errorText(failure)}
          </Alert>
        )}
      </div>
      <Group justify="flex-end" mt="md">
        {was === null ? null : (
          <Button
            variant="default"
            color="red"
            disabled={hindrance !== ''}
            loading={removing.isPending}
            onClick={() => removing.mutate()}
            data-testid="script-delete"
          >
            {t('points:script.delete')}
          </Button>
        )}
        <Button
          disabled={isWrong || hindrance !== '' || draft === before}
          loading={saving.isPending}
          onClick={() => saving.mutate()}
          data-testid="script-save"
        >
          {t('points:script.save')}
        </Button>
      </Group>
    </>
  );
}
