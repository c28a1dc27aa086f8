import { Alert, Modal, Stepper } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useTab } from '@/lib/tab';
import { useJob } from '../jobs/useJob';
import { usePhone } from '@/components/table/usePhone';
import { useConfirm } from '@/components/useConfirm';
import type { Choice } from '@/components/AsyncPicker';
import { leftImport } from './endpoints';
import type { ImportEndpoints, ImportState, Mode, SheetMapping } from './endpoints';
import { guessedOf } from './mapping';
import { MapStep } from './MapStep';
import { PreviewStep } from './PreviewStep';
import { RemovalChoice } from './RemovalChoice';
import { ResultStep } from './ResultStep';
import { UploadStep } from './UploadStep';

interface Props {
  title: string;
  endpoints: ImportEndpoints;
  /** Lists that show something else once it is done. */
  changes: readonly (readonly unknown[])[];
  /** An import that was begun before the page was loaded again. */
  resume?: string;
  onClose: () => void;
}

const STEPS = ['upload', 'map', 'preview', 'result'] as const;
type Step = (typeof STEPS)[number];

/** A workbook from the choice of the file to its result: what each column is, what would change, and then does it. */
export default function ImportDialog({ title, endpoints, changes, resume, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const phone = usePhone();
  const cache = useQueryClient();
  const [step, setStep] = useState<Step>('upload');
  const [state, setState] = useState<ImportState | null>(null);
  const [mappings, setMappings] = useState<readonly SheetMapping[]>([]);
  const [mode, setMode] = useState<Mode>('merge');
  const [removes, setRemoves] = useState(false);
  const [project, setProject] = useState<Choice | null>(null);
  const mayRemove =
    endpoints.projects !== undefined && mode === 'replace' && mappings.some(({ kind }) => kind === 'devices');
  const [job, setJob] = useState<number | null>(null);
  const begin = useMutation({
    meta: { errorInPlace: true },
    mutationFn: (id: string) =>
      endpoints.preview(
        id,
        [...mappings],
        mode,
        mayRemove && removes ? { project_id: project === null ? null : Number(project.value) } : null,
      ),
    onSuccess: (made) => {
      setJob(made.id);
      setStep('preview');
    },
  });
  const { setSearch } = useTab();
  const take = (made: ImportState): void => {
    setState(made);
    setMappings(guessedOf(made.sheets));
    setSearch({ import: made.id }, 'replace');
  };
  const onUploaded = (made: ImportState): void => {
    take(made);
    setStep('map');
  };
  const left = useMutation({
    meta: { errorInPlace: true },
    mutationFn: (id: string) => leftImport(endpoints, id),
    onSuccess: ({ state: next, job: last }) => {
      if (next.applied && last === null) return;
      take(next);
      setMode(next.preview?.mode ?? 'merge');
      setJob(last?.id ?? null);
      setStep(
        last?.kind === 'import_apply'
          ? 'result'
          : last !== null && (next.preview !== null || last.state === 'generating')
            ? 'preview'
            : 'map',
      );
    },
  });
  const { mutate: goOn } = left;
  useEffect(() => {
    if (resume !== undefined) goOn(resume);
  }, [resume, goOn]);
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
  const [ask, question] = useConfirm();
  const close = (): void => {
    refresh();
    setSearch({ import: undefined }, 'replace');
    onClose();
  };
  /** Before anything is done the file goes with its dialog. */
  const leave = async (): Promise<void> => {
    if (state !== null && (step === 'map' || step === 'preview')) {
      if (
        !(await ask({
          title: t('base:import.leaveTitle'),
          text: t('base:import.leave'),
          confirm: t('base:import.leaveYes'),
        }))
      )
        return;
      endpoints.discard(state.id).catch(() => undefined);
    }
    close();
  };
  return (
    <Modal
      opened
      onClose={() => void leave()}
      title={state?.gateway_id ? t('base:import.single', { title: state.gateway_id }) : title}
      size={980}
      fullScreen={phone}
      closeOnClickOutside={false}
      data-testid="import-dialog"
    >
      <Stepper active={STEPS.indexOf(step)} size="sm" mb="md" allowNextStepsSelect={false} wrap={false}>
        {STEPS.map((each) => (
          <Stepper.Step
            key={each}
            label={phone ? undefined : t(`base:import.step.${each}`)}
            aria-label={t(`base:import.step.${each}`)}
            allowStepSelect={false}
          />
        ))}
      </Stepper>
      {question}
      {step === 'upload' && left.error !== null ? (
        <Alert color="orange" mb="md" data-testid="import-expired">
          {t('base:import.expired')}
        </Alert>
      ) : null}
      {step === 'upload' ? <UploadStep endpoints={endpoints} onUploaded={onUploaded} /> : null}
      {step === 'map' && state !== null ? (
        <MapStep
          state={state}
          mappings={mappings}
          onMappings={setMappings}
          mode={mode}
          onMode={setMode}
          removal={
            mayRemove && endpoints.projects !== undefined ? (
              <RemovalChoice
                removes={removes}
                onRemoves={setRemoves}
                project={project}
                onProject={setProject}
                load={endpoints.projects}
              />
            ) : null
          }
          failure={begin.error}
          isBusy={begin.isPending}
          onBack={() => setStep('upload')}
          onNext={() => begin.mutate(state.id)}
        />
      ) : null}
      {step === 'preview' && state !== null && job !== null ? (
        <PreviewStep
          id={state.id}
          jobId={job}
          endpoints={endpoints}
          onBack={() => setStep('map')}
          onApplied={onApplied}
        />
      ) : null}
      {step === 'result' && state !== null && job !== null ? (
        <ResultStep id={state.id} jobId={job} endpoints={endpoints} onBack={() => setStep('map')} onClose={close} />
      ) : null}
    </Modal>
  );
}
