import { Alert, Button, Group as Line, Select, UnstyledButton } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconAlertTriangle, IconArrowLeft, IconDeviceFloppy } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { isNotFound } from '@/api/errors';
import type { DeviceDetail } from '@/api/generated/types.gen';
import { DeviceGone } from '@/blocks/devices/DeviceGone';
import { useUnsavedChanges } from '@/components/form/useUnsavedChanges';
import { PageSkeleton } from '@/components/PageSkeleton';
import { usePhone } from '@/components/table/usePhone';
import { ToneText } from '@/components/Tone';
import { Trouble } from '@/components/Trouble';
import { UnsavedDot } from '@/components/UnsavedDot';
import { useConfirm } from '@/components/useConfirm';
import { deviceTitle } from '@/lib/deviceTitle';
import { onConfiguration, onDeployment, onResume } from '@/lib/live';
import { useScreenLink } from '@/lib/navigation';
import { useTab } from '@/lib/tab';
import { deviceQuery, draftQuery, groupsQuery, parametersQuery } from '../api';
import type { GatewayParameters } from '../api';
import type { Group } from '../model/schema';
import classes from '../parameters.module.css';
import { useEditor } from '../useEditor';
import { useProposals } from '../useProposals';
import { useWords } from '../useWords';
import { GroupForm } from './GroupForm';
import { PlanText } from './PlanText';
import { Undeployed } from './Undeployed';

/** All parameters of one gateway. */
export default function GatewayEditor({ id }: { id: number }): ReactElement {
  const device = useQuery(deviceQuery(id));
  const groups = useQuery(groupsQuery);
  const parameters = useQuery(parametersQuery(id));
  useNews(id);
  if (isNotFound(device.error) || isNotFound(parameters.error)) return <DeviceGone />;
  const failed = [device, groups, parameters].find(({ error, data }) => error !== null && data === undefined);
  if (failed !== undefined) return <Trouble error={failed.error} onRetry={() => void failed.refetch()} />;
  if (device.data === undefined || groups.data === undefined || parameters.data === undefined) return <PageSkeleton />;
  return <Editing device={device.data} groups={groups.data} parameters={parameters.data} />;
}

/** What is saved or deployed, here or elsewhere, is read again. */
function useNews(id: number): void {
  const cache = useQueryClient();
  useEffect(() => {
    const renew = (): void => {
      void cache.invalidateQueries({ queryKey: parametersQuery(id).queryKey });
      void cache.invalidateQueries({ queryKey: ['configuration', id] });
    };
    const stops = [
      onConfiguration((did) => (did === id ? renew() : undefined)),
      onDeployment((push) => (push.did === id && push.check_only !== true ? renew() : undefined)),
      onResume(renew),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [cache, id]);
}

interface Props {
  device: DeviceDetail;
  groups: readonly Group[];
  parameters: GatewayParameters;
}

function Editing({ device, groups, parameters }: Props): ReactElement {
  const { t } = useTranslation();
  const words = useWords();
  const { search, setSearch, setDetail } = useTab();
  const back = useScreenLink('/ota/device');
  const [ask, dialog] = useConfirm();
  const page = useRef<HTMLElement>(null);
  const editor = useEditor(device.id, groups, parameters);
  const draft = useQuery(draftQuery(device.id)).data?.draft ?? null;
  const proposalsOf = useProposals(device.id, editor.entries);
  const isDirty = editor.changed.length > 0;
  useUnsavedChanges(isDirty, { persisted: true });
  const title = deviceTitle(device);
  useEffect(() => {
    setDetail(title);
    // A tab's title is set once per name; setDetail changes with every step of the address.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [title]);
  const group = groups.find(({ name }) => name === search.group) ?? groups[0];
  const open = (name: string): void => setSearch({ group: name });
  const save = (): void => {
    const wrong = editor.save();
    if (wrong === null) return;
    open(wrong);
    // The group is drawn first.
    requestAnimationFrame(() => page.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  // The effects of a page behind another one are asleep: this is the key of the page in front.
  useHotkeys([['mod+S', () => (isDirty ? save() : undefined)]], []);
  const discard = async (): Promise<void> => {
    const question = {
      title: t('base:form.discardTitle'),
      text: t('base:form.discardText'),
      confirm: t('base:form.discard'),
      danger: true,
    };
    if (await ask(question)) editor.reset();
  };
  const disabled = !parameters.changeable;
  const condition = parameters.conditions.find((each) => each.group === group?.name);
  return (
    <section ref={page} className={classes.panel} data-testid="parameter-editor">
      <div className={classes.bar}>
        <h1>{t('parameters:heading', { title })}</h1>
        <Button component="a" {...back} variant="subtle" leftSection={<IconArrowLeft size={16} />}>
          {t('parameters:back')}
        </Button>
        <Button variant="default" disabled={!isDirty} onClick={() => void discard()} data-testid="parameters-discard">
          {t('base:form.discard')}
        </Button>
        <Button
          leftSection={<IconDeviceFloppy size={16} />}
          disabled={!isDirty || disabled}
          loading={editor.isSaving}
          title={disabled ? t('base:perm.missing') : t('base:form.saveKey')}
          onClick={save}
          data-testid="parameters-save"
        >
          {t('parameters:save')}
        </Button>
      </div>
      <div className={classes.body}>
        <p className={classes.hint} data-testid="parameter-facts">
          <span className={classes.mono}>{device.gateway_id}</span>{' '}
          {parameters.plan === null ? null : <PlanText plan={parameters.plan} />}
        </p>
        {disabled ? (
          <Alert color="steel" mb="sm">
            {t('parameters:readOnly')}
          </Alert>
        ) : null}
        {draft === null ? null : (
          <Undeployed deviceId={device.id} hash={draft.hash} changes={parameters.undeployed ?? []} groups={groups} />
        )}
        <Conflict editor={editor} groups={groups} />
        <div role="alert">
          {editor.failure === '' ? null : (
            <Alert color="red" mb="sm" data-testid="parameters-failure">
              {editor.failure}
            </Alert>
          )}
        </div>
        <div className={classes.editor}>
          <Groups groups={groups} current={group?.name ?? ''} editor={editor} parameters={parameters} onOpen={open} />
          {group === undefined ? null : (
            <div>
              <h2>{words.label(group.title)}</h2>
              <GroupForm
                key={`${group.name}/${editor.attempts}`}
                group={group}
                entries={editor.entries[group.name] ?? []}
                faults={editor.faults.get(group.name) ?? []}
                condition={condition}
                disabled={disabled}
                onChange={(entries) => editor.set(group.name, entries)}
                proposalsOf={proposalsOf}
              />
            </div>
          )}
        </div>
      </div>
      {dialog}
    </section>
  );
}

interface GroupsProps {
  groups: readonly Group[];
  current: string;
  editor: ReturnType<typeof useEditor>;
  parameters: GatewayParameters;
  onOpen: (name: string) => void;
}

/** Groups to choose from, with what is to be known of each: changed, faulty, not supported. */
function Groups({ groups, current, editor, parameters, onOpen }: GroupsProps): ReactElement {
  const { t } = useTranslation();
  const words = useWords();
  const phone = usePhone();
  const marks = (name: string): { isChanged: boolean; isFaulty: boolean; isUnsupported: boolean } => ({
    isChanged: editor.changed.includes(name),
    isFaulty: editor.faults.has(name),
    isUnsupported: parameters.conditions.some((each) => each.group === name && each.condition !== 'applied'),
  });
  if (phone)
    return (
      <Select
        label={t('parameters:group.choose')}
        data={groups.map(({ name, title }) => {
          const { isChanged, isFaulty } = marks(name);
          const mark = isFaulty
            ? ` · ${t('parameters:group.faulty')}`
            : isChanged
              ? ` · ${t('parameters:group.changed')}`
              : '';
          return { value: name, label: `${words.label(title)}${mark}` };
        })}
        value={current}
        onChange={(name) => name !== null && onOpen(name)}
        allowDeselect={false}
        data-testid="group-select"
      />
    );
  return (
    <nav aria-label={t('parameters:group.choose')}>
      <ul className={classes.groups}>
        {groups.map(({ name, title }) => {
          const { isChanged, isFaulty, isUnsupported } = marks(name);
          return (
            <li key={name}>
              <UnstyledButton
                className={classes.group}
                aria-current={name === current}
                onClick={() => onOpen(name)}
                data-testid={`group-${name}`}
              >
                <span>{words.label(title)}</span>
                {isUnsupported ? (
                  <ToneText tone="warn">
                    <span className="visually-hidden">{t('parameters:group.unsupported')}</span>
                  </ToneText>
                ) : null}
                {isFaulty ? (
                  <IconAlertTriangle size={14} className={classes.bad} aria-label={t('parameters:group.faulty')} />
                ) : null}
                {isChanged ? <UnsavedDot words={t('parameters:group.changed')} /> : null}
              </UnstyledButton>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

/** Somebody else saved first: nothing of both is lost unasked. */
function Conflict({ editor, groups }: Pick<GroupsProps, 'editor' | 'groups'>): ReactElement | null {
  const { t } = useTranslation();
  const words = useWords();
  const { conflict } = editor;
  if (conflict === null) return null;
  const names = groups.filter(({ name }) => conflict.includes(name)).map(({ title }) => words.label(title));
  return (
    <Alert color="yellow" mb="sm" role="alert" data-testid="parameters-conflict">
      {names.length === 0
        ? t('parameters:conflict.elsewhere')
        : t('parameters:conflict.same', { names: names.join(t('parameters:comma')) })}
      <Line gap="xs" mt="xs">
        <Button size="xs" onClick={editor.overwrite} data-testid="conflict-overwrite">
          {t('parameters:conflict.overwrite')}
        </Button>
        <Button size="xs" variant="default" onClick={editor.reset} data-testid="conflict-discard">
          {t('parameters:conflict.discard')}
        </Button>
      </Line>
    </Alert>
  );
}
