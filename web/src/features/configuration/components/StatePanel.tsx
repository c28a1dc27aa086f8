import { Button, Group, Text } from '@mantine/core';
import { IconEdit, IconPlayerPlay, IconTable, IconUpload } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useReasonWords } from '@/blocks/deployment/useReasonWords';
import { showSuccess } from '@/components/notices';
import { ToneText } from '@/components/Tone';
import { useScreenLink } from '@/lib/navigation';
import type { Tone } from '@/lib/quality';
import { formatDateTime } from '@/lib/time';
import { deploy, discardDraft } from '../api';
import type { ConfigurationState, Version } from '../api';
import classes from '../configuration.module.css';
import { isDraftUnderWay, situationOf, stateKey, STEPS } from '../deployment';
import type { Situation } from '../deployment';
import { isWritten, useDrafts } from '../draft';
import { Hash } from './Hash';
import { UploadButton } from './UploadButton';
import type { Guard } from './useGuard';
import { useView } from './useView';

interface Props {
  deviceId: number;
  state: ConfigurationState;
  mayManage: boolean;
  guard: Guard;
}

const TONES: Record<Situation['kind'], Tone> = {
  unknown: 'off',
  underWay: 'off',
  localEdit: 'warn',
  draft: 'ok',
  inForce: 'ok',
};

/** What runs and whether that is what was meant, with the next thing to do about it. */
export function StatePanel({ deviceId, state, mayManage, guard }: Props): ReactElement {
  const { t } = useTranslation();
  const { show } = useView();
  const points = useScreenLink('/device/gateway/slavedevice', { device_id: deviceId });
  const situation = situationOf(state);
  const failed = situation.kind === 'draft' ? situation.failed : null;
  return (
    <div className={classes.standing} data-testid="configuration-standing" data-situation={situation.kind}>
      <div className={classes.sentence} aria-live="polite">
        <ToneText tone={failed === null ? TONES[situation.kind] : 'warn'} strong>
          {situation.kind === 'underWay'
            ? t('configuration:situation.underWay', { step: situation.step, of: STEPS.length })
            : failed === null
              ? t(`configuration:situation.${situation.kind}`)
              : t('configuration:situation.failed', {
                  how: t(stateKey(failed.state) ?? '', { defaultValue: failed.state }),
                })}
        </ToneText>
        {failed === null ? null : (
          <Button variant="light" onClick={() => show({ deployment: failed.id })} data-testid="failed-deployment">
            {t('configuration:action.details')}
          </Button>
        )}
        {situation.kind === 'underWay' ? (
          <Button
            variant="light"
            onClick={() => show({ deployment: situation.deployment.id })}
            data-testid="follow-deployment"
          >
            {t('configuration:action.follow')}
          </Button>
        ) : null}
        {mayManage ? (
          <Group gap={8}>
            <Button
              {...points}
              component="a"
              variant="default"
              leftSection={<IconTable size={16} />}
              data-testid="edit-points"
            >
              {t('configuration:action.points')}
            </Button>
            {state.running === null ? null : (
              <>
                <Button
                  {...guard}
                  variant="default"
                  leftSection={<IconEdit size={16} />}
                  onClick={() => show({ view: 'document', version: undefined, edit: true })}
                  data-testid="edit-configuration"
                >
                  {t('configuration:action.edit')}
                </Button>
                <UploadButton
                  {...guard}
                  deviceId={deviceId}
                  base={state.newest}
                  leftSection={<IconUpload size={16} />}
                />
              </>
            )}
          </Group>
        ) : null}
      </div>
      <Running state={state} />
      {mayManage ? <Unsaved deviceId={deviceId} guard={guard} /> : null}
      {state.local_edit && state.running !== null ? (
        <LocalEdit deviceId={deviceId} state={state} mayManage={mayManage} guard={guard} />
      ) : null}
      {state.draft === null ? null : (
        <DraftNotice deviceId={deviceId} state={state} mayManage={mayManage} guard={guard} />
      )}
    </div>
  );
}

function Running({ state }: { state: ConfigurationState }): ReactElement | null {
  const { t } = useTranslation();
  const { running, deployment } = state;
  if (running === null) return <Text c="dimmed">{t('configuration:notToldYet')}</Text>;
  const version = state.versions.find(({ hash }) => hash === running.hash);
  const deployed = deployment?.hash === running.hash && !deployment.check_only ? deployment.user : '';
  return (
    <dl className={classes.facts}>
      <Fact name={t('configuration:fact.running')}>
        <Hash hash={running.hash} copies />
      </Fact>
      <Fact name={t('configuration:fact.origin')}>
        {running.origin === null ? '–' : t(`configuration:origin.${running.origin}`)}
      </Fact>
      <Fact name={t('configuration:fact.since')}>
        {running.since_ms === null ? '–' : formatDateTime(running.since_ms)}
      </Fact>
      <Fact name={t('configuration:fact.by')}>{deployed || version?.author || '–'}</Fact>
      <Fact name={t('configuration:fact.points')}>{version?.points ?? '–'}</Fact>
      <Fact name={t('configuration:fact.note')}>
        <span className={classes.note}>{version?.note || '–'}</span>
      </Fact>
    </dl>
  );
}

/** What is being written is not forgotten while something else is looked at. */
function Unsaved({ deviceId, guard }: Pick<Props, 'deviceId' | 'guard'>): ReactElement | null {
  const { t } = useTranslation();
  const { edit, show } = useView();
  const written = useDrafts((drafts) => isWritten(drafts.byDevice[deviceId]));
  if (!written || edit) return null;
  return (
    <div className={classes.notice} data-testid="unsaved">
      <span>{t('configuration:unsaved')}</span>
      <Button {...guard} variant="default" onClick={() => show({ view: 'document', edit: true })}>
        {t('configuration:action.goOn')}
      </Button>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactElement {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Nobody deployed what runs: it is looked at, and adopted or replaced; never overwritten in silence. */
function LocalEdit({ deviceId, state, mayManage, guard }: Props): ReactElement {
  const { t } = useTranslation();
  const { show } = useView();
  const running = state.running?.hash ?? '';
  const adopt = useMutation({
    mutationFn: () => deploy(deviceId, { hash: running, base: running }),
    onSuccess: ({ id }) => show({ deployment: id, from: undefined, to: undefined }),
  });
  return (
    <div className={classes.notice} data-tone="warn" role="status" data-testid="local-edit">
      <span>{t('configuration:localEdit')}</span>
      <Group gap={8}>
        {state.accepted === null ? null : (
          <Button
            variant="default"
            onClick={() => show({ view: 'compare', from: state.accepted ?? undefined, to: running })}
          >
            {t('configuration:action.showChange')}
          </Button>
        )}
        {mayManage ? (
          <Button {...guard} loading={adopt.isPending} onClick={() => adopt.mutate()} data-testid="adopt">
            {t('configuration:action.adopt')}
          </Button>
        ) : null}
      </Group>
    </div>
  );
}

function DraftNotice({ deviceId, state, mayManage, guard }: Props): ReactElement | null {
  const { t } = useTranslation();
  const { show } = useView();
  const cache = useQueryClient();
  const discard = useMutation({
    mutationFn: () => discardDraft(deviceId),
    onSuccess: () => {
      showSuccess(t('configuration:discarded'));
      void cache.invalidateQueries({ queryKey: ['configuration', deviceId] });
    },
  });
  const reason = useReasonWords();
  const { draft } = state;
  if (draft === null) return null;
  const underWay = isDraftUnderWay(state);
  const { reverted } = draft;
  const note = noteOf(state.versions, draft.hash);
  return (
    <div className={classes.notice} data-testid="draft">
      <span>
        {t('configuration:draftOf', { author: draft.author, time: formatDateTime(draft.changed_ms) })}{' '}
        <Hash hash={draft.hash} />
        {note === '' ? null : <span className={classes.sub}>{note}</span>}
        {reverted === null || reverted === undefined ? null : (
          <span className={classes.sub} data-testid="draft-reverted">
            <ToneText tone="warn">
              {t('configuration:draftReverted', {
                time: formatDateTime(reverted.finished_ms ?? draft.changed_ms),
                reason: reason(reverted.code, reverted.detail),
              })}
            </ToneText>
          </span>
        )}
        {draft.behind && !underWay ? (
          <span className={classes.sub}>
            <ToneText tone="warn">
              {t(draft.carried === true ? 'configuration:draftCarried' : 'configuration:draftBehind')}
            </ToneText>
          </span>
        ) : null}
      </span>
      <Group gap={8}>
        {mayManage && !underWay ? (
          <Button
            {...guard}
            variant="subtle"
            color="gray"
            loading={discard.isPending}
            onClick={() => discard.mutate()}
            data-testid="discard-draft"
          >
            {t('configuration:action.discard')}
          </Button>
        ) : null}
        <Button
          variant="default"
          onClick={() => show({ view: 'compare', from: state.running?.hash, to: draft.hash })}
          data-testid="show-draft"
        >
          {t('configuration:action.showChange')}
        </Button>
        {mayManage && !underWay ? (
          <Button
            {...guard}
            variant={draft.behind || reverted ? 'default' : 'filled'}
            leftSection={<IconPlayerPlay size={16} />}
            onClick={() => show({ deploy: draft.hash })}
            data-testid="deploy-draft"
          >
            {t('configuration:action.deploy')}
          </Button>
        ) : null}
      </Group>
    </div>
  );
}

function noteOf(versions: readonly Version[], hash: string): string {
  return versions.find((version) => version.hash === hash)?.note ?? '';
}
