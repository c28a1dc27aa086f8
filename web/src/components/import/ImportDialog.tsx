import { Modal, Stepper } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useJob } from '../jobs/useJob';
import { usePhone } from '../table/usePhone';
import type { ImportEndpoints, ImportState, Mode, SheetMapping } from './endpoints';
import { guessedOf } from './mapping';
import { MapStep } from './MapStep';
import { PreviewStep } from './PreviewStep';
import { ResultStep } from './ResultStep';
import { UploadStep } from './UploadStep';

interface Props {
  title: string;
  endpoints: ImportEndpoints;
  /** Lists that show something else once it is done. */
  changes: readonly (readonly unknown[])[];
  onClose: () => void;
}

const STEPS = ['upload', 'map', 'preview', 'result'] as const;
type Step = (typeof STEPS)[number];

/** A workbook from the choice of the file to its result: what each column is, what would change, and then does it. */
export default function ImportDialog({ title, endpoints, changes, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const phone = usePhone();
  const cache = useQueryClient();
  const [step, setStep] = useState<Step>('upload');
  const [state, setState] = useState<ImportState | null>(null);
  const [mappings, setMappings] = useState<readonly SheetMapping[]>([]);
  const [mode, setMode] = useState<Mode>('merge');
  const [job, setJob] = useState<number | null>(null);
  const begin = useMutation({
    meta: { shownInPlace: true },
    mutationFn: (id: string) => endpoints.preview(id, [...mappings], mode),
    onSuccess: (made) => {
      setJob(made.id);
      setStep('preview');
    },
  });
  const onUploaded = (made: ImportState): void => {
    setState(made);
    setMappings(guessedOf(made.sheets));
    setStep('map');
  };
  const onApplied = (id: number): void => {
    setJob(id);
    setStep('result');
  };
  const { job: applied } = useJob(step === 'result' ? job : null);
  const hasEnded = applied !== undefined && applied.state !== 'generating';
  const refresh = (): void => {
    for (const key of changes) void cache.invalidateQueries({ queryKey: key });
  };
  const ended = useEffectEvent(refresh);
  useEffect(() => {
    if (hasEnded) ended();
  }, [hasEnded]);
  const close = (): void => {
    refresh();
    onClose();
  };
  return (
    <Modal
      opened
      onClose={close}
      title={title}
      size={980}
      fullScreen={phone}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': t('base:action.close') }}
      data-testid="import-dialog"
    >
      <Stepper active={STEPS.indexOf(step)} size="sm" mb="md" allowNextStepsSelect={false} wrap={false}>
        {STEPS.map((each) => (
          <Stepper.Step key={each} label={phone ? undefined : t(`base:import.step.${each}`)} aria-label={t(`base:import.step.${each}`)} allowStepSelect={false} />
        ))}
      </Stepper>
      {step === 'upload' ? <UploadStep endpoints={endpoints} onUploaded={onUploaded} /> : null}
      {step === 'map' && state !== null ? (
        <MapStep
          state={state}
          mappings={mappings}
          onMappings={setMappings}
          mode={mode}
          onMode={setMode}
          failure={begin.error}
          isBusy={begin.isPending}
          onBack={() => setStep('upload')}
          onNext={() => begin.mutate(state.id)}
        />
      ) : null}
      {step === 'preview' && state !== null && job !== null ? (
        <PreviewStep id={state.id} jobId={job} endpoints={endpoints} onBack={() => setStep('map')} onApplied={onApplied} />
      ) : null}
      {step === 'result' && state !== null && job !== null ? <ResultStep id={state.id} jobId={job} endpoints={endpoints} onBack={() => setStep('map')} onClose={close} /> : null}
    </Modal>
  );
}
