import { Button, Stepper, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useApiForm } from '@/components/form/useApiForm';
import type { ApiForm } from '@/components/form/useApiForm';
import { PageSkeleton } from '@/components/PageSkeleton';
import page from '@/components/page.module.css';
import { usePhone } from '@/components/table/usePhone';
import { useTab } from '@/lib/tab';
import { protocolsQuery, renewDevices } from '../api';
import { BasicStep } from '../components/BasicStep';
import { SlaveStep } from '../components/SlaveStep';
import { GatewayTemplateStep } from '../components/TemplateSteps';
import { ProjectStep } from '../components/ProjectStep';
import { useFaultWords } from '../components/useFaultWords';
import { useSerialCheck } from '../components/useSerialCheck';
import classes from '../devices.module.css';
import { DRAFT_NAMES } from '../draft';
import { makeDevice } from '../making';
import type { Made } from '../making';
import { storedRemaining } from '../remaining';
import { dropDraft, keepDraft, storedDraft, next, stepOf, stepShowing, STEPS } from '../wizard';
import type { Step, WizardDraft } from '../wizard';
import { slaveFaults } from '../wizardSlaves';
import type { Forms } from '../wizardSlaves';

const NO_FORMS: Forms = [];
const DoneStep = lazy(async () => ({ default: (await import('../components/DoneStep')).DoneStep }));

/** A gateway in five steps; each has an address, and what was entered survives a reload. */
export default function AddDevice(): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const cache = useQueryClient();
  const [made, setMade] = useState<Made | null>(null);
  const checkDevice = useFaultWords(true);
  const { data: forms = NO_FORMS } = useQuery(protocolsQuery);
  const check = useCallback(
    (draft: WizardDraft): Record<string, string> => {
      const slaves = Object.entries(slaveFaults(draft.slaves, forms)).map(([name, fault]) => [
        `slaves.${name}`,
        t(`devices:fault.${fault}`),
      ]);
      return { ...checkDevice(draft), ...(Object.fromEntries(slaves) as Record<string, string>) };
    },
    [checkDevice, forms, t],
  );
  const step = stepOf(search.step);
  const form = useApiForm<WizardDraft, Made>({
    values: storedDraft(sessionStorage),
    validate: check,
    names: DRAFT_NAMES,
    stored: true,
    save: (given) => makeDevice(given, forms),
    onSaved: (answer) => {
      renewDevices(cache);
      dropDraft(sessionStorage);
      setMade(answer);
      setSearch({ step: 'done', id: answer.made.device.id }, 'push');
    },
  });
  const draft = form.fields.getValues();
  useEffect(() => {
    if (made === null && search.id === undefined) keepDraft(sessionStorage, draft);
  }, [draft, made, search.id]);
  const go = (to: Step): void => setSearch({ step: to }, 'push');
  const id = Number(search.id);
  const isMade = step === 'done' && Number.isInteger(id) && id > 0;
  // Without what comes first a later step has nothing to work on.
  const visible: Step = isMade
    ? 'done'
    : step === 'done' || (step !== 'basic' && Object.keys(checkDevice(draft)).length > 0)
      ? 'basic'
      : step;
  const remaining = made?.made.device.id === id ? made.remaining : storedRemaining(sessionStorage, id);
  const again = (): void => {
    form.fields.setValues({ ...storedDraft(sessionStorage) });
    form.fields.resetDirty();
    setMade(null);
    setSearch({ step: undefined, id: undefined }, 'push');
  };
  return (
    <section className={page.panel}>
      <div className={page.bar}>
        <h1>{t('devices:title.add')}</h1>
      </div>
      <div className={classes.wizard}>
        <Progress step={visible} isMade={isMade} onStep={go} />
        {visible === 'done' ? (
          <div className={classes.stage}>
            <Suspense fallback={<PageSkeleton />}>
              <DoneStep
                key={id}
                id={id}
                made={made?.made ?? null}
                first={remaining}
                onAgain={again}
                onRemaining={(now) => setMade((last) => last && { ...last, remaining: now })}
              />
            </Suspense>
          </div>
        ) : (
          <Stage form={form} step={visible} onStep={go} />
        )}
      </div>
    </section>
  );
}

function Progress({
  step,
  isMade,
  onStep,
}: {
  step: Step;
  isMade: boolean;
  onStep: (step: Step) => void;
}): ReactElement {
  const { t } = useTranslation();
  const phone = usePhone();
  const at = STEPS.indexOf(step);
  if (phone) {
    return (
      <Text fw={600} data-testid="wizard-step" data-step={step}>
        {t('devices:wizard.of', { at: at + 1, of: STEPS.length, title: t(`devices:wizard.${step}`) })}
      </Text>
    );
  }
  return (
    <Stepper
      active={isMade ? STEPS.length : at}
      onStepClick={(index) => onStep(STEPS[index] ?? 'basic')}
      size="sm"
      data-testid="wizard-step"
      data-step={step}
    >
      {STEPS.map((name, index) => (
        <Stepper.Step key={name} label={t(`devices:wizard.${name}`)} allowStepSelect={!isMade && index < at} />
      ))}
    </Stepper>
  );
}

function Stage({
  form,
  step,
  onStep,
}: {
  form: ApiForm<WizardDraft>;
  step: Step;
  onStep: (step: Step) => void;
}): ReactElement {
  const { t } = useTranslation();
  const isLast = step === 'project';
  const { errors } = form.fields;
  // Found at the end, of an earlier step: its words stay at the foot while it is corrected there.
  const [otherPath, setOtherPath] = useState('');
  useEffect(() => {
    if (!isLast) return;
    const stray = Object.keys(errors).find((name) => stepShowing(name) !== 'project');
    if (stray === undefined) return;
    setOtherPath(stray);
    const to = stepShowing(stray);
    if (to !== null) onStep(to);
    // Only what comes up here sends back; onStep is made anew by each drawing.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [errors, isLast]);
  // What a field of this step shows is not said twice.
  const trouble =
    form.failure === '' ? (stepShowing(otherPath) === step ? undefined : errors[otherPath]) : form.failure;
  const isFree = useSerialCheck(form);
  const forth = async (): Promise<void> => {
    if (isLast) return form.submit();
    const faults = Object.keys(form.fields.validate().errors);
    // What a later step asks for is no fault yet.
    if (step === 'basic' ? faults.some((name) => stepShowing(name) !== 'points') : faults.length > 0) return;
    if (step === 'basic' && !(await isFree())) return;
    onStep(next(step, 1));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void forth();
      }}
      noValidate
    >
      <div className={classes.stage}>
        {step === 'basic' ? <BasicStep form={form} onSerial={() => void isFree()} /> : null}
        {step === 'points' ? <SlaveStep form={form} /> : null}
        {step === 'gateway' ? <GatewayTemplateStep form={form} /> : null}
        {isLast ? <ProjectStep form={form} /> : null}
        <div role="alert">
          {trouble === undefined || trouble === null ? null : (
            <Text c="red" size="sm" data-testid="wizard-trouble">
              {trouble}
            </Text>
          )}
        </div>
      </div>
      <div className={classes.foot}>
        <Button
          variant="default"
          disabled={step === 'basic'}
          onClick={() => onStep(next(step, -1))}
          data-testid="wizard-back"
        >
          {t('devices:wizard.back')}
        </Button>
        <Button type="submit" loading={form.isSaving} data-testid="wizard-next">
          {t(isLast ? 'devices:wizard.make' : 'devices:wizard.next')}
        </Button>
      </div>
    </form>
  );
}
