import { Alert, Button, Checkbox, Group, Loader, Select, Stack, Switch, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { codeKey } from '@/blocks/deployment/reason';
import { useReasonWords } from '@/blocks/deployment/useReasonWords';
import { useTimeWords } from '@/components/useTimeWords';
import { errorText } from '@/components/notices';
import { ToneText } from '@/components/Tone';
import { formatDateTime } from '@/lib/time';
import { checkQuery, deploy, differenceQuery } from '../api';
import type { ConfigurationState, DeployBody, DeploymentDetail } from '../api';
import { isFinal, toneOf } from '../deployment';
import { Faults } from './Faults';
import { Hash } from './Hash';
import { LinkWarning } from './LinkWarning';
import { Loads } from './Loads';
import { Reach } from './Reach';
import { useCountWords } from './useCountWords';
import { useView } from './useView';

const CONFIRM_S = [30, 60, 120, 300, 600, 900];
const DEFAULT_CONFIRM_S = 300;
const WAIT_S = [600, 3_600, 86_400, 604_800];
const DEFAULT_WAIT_S = 3_600;
const SHARES = [1, 0.9, 0.75, 0.5, 0];

interface Props {
  deviceId: number;
  hash: string;
  state: ConfigurationState;
  online: boolean;
}

/** How far a version reaches, in the cloud's and in the gateway's own words, before anything is sent. */
export function Preparing({ deviceId, hash, state, online }: Props): ReactElement {
  const { t } = useTranslation();
  const { show } = useView();
  const cache = useQueryClient();
  const running = state.running?.hash ?? null;
  const [options, setOptions] = useState<Options>({
    confirm_s: DEFAULT_CONFIRM_S,
    healthy_share: 0.9,
    wait: false,
    wait_s: DEFAULT_WAIT_S,
  });
  const [seen, setSeen] = useState(false);
  const [meant, setMeant] = useState(false);
  const known = running !== null && state.running?.known === true;
  const reach = useQuery({ ...differenceQuery(deviceId, running ?? '', hash, 100), enabled: known });
  const check = useQuery({ ...checkQuery(deviceId, hash, running), enabled: online });
  const send = useMutation({
    mutationFn: () => deploy(deviceId, { ...bodyOf(hash, running, options), ...(meant ? { changes_link: true } : {}) }),
    meta: { errorInPlace: true },
    onSuccess: ({ id }) => {
      void cache.invalidateQueries({ queryKey: ['configuration', deviceId] });
      show({ deploy: undefined, deployment: id });
    },
  });
  const isRefused = check.data?.state === 'refused';
  const reverted = state.draft?.hash === hash ? (state.draft.reverted ?? null) : null;
  const reason = useReasonWords();
  const mustSee = state.local_edit || running === null || reverted !== null;
  const leads = reach.data === undefined || (!reach.data.link_lost && (reach.data.link.length === 0 || meant));
  const isReady = !isRefused && leads && (online || options.wait) && (!mustSee || seen) && !check.isLoading;
  const version = state.versions.find((each) => each.hash === hash);
  return (
    <Stack gap="md">
      <div>
        <Text fw={600} component="span">
          {version?.note || t('configuration:column.version')}
        </Text>{' '}
        <Hash hash={hash} />
      </div>
      {reach.data === undefined ? null : <LinkWarning difference={reach.data} meant={meant} onMean={setMeant} />}
      {online ? null : <Alert color="yellow">{t('configuration:deploy.offline')}</Alert>}
      {reach.data === undefined ? null : (
        <Reach
          difference={reach.data}
          onOpen={() => show({ deploy: undefined, view: 'compare', from: running ?? undefined, to: hash })}
        />
      )}
      {known ? null : <Alert color="yellow">{t('configuration:deploy.unknownRunning')}</Alert>}
      <Judgement hash={hash} check={check.data} isPending={check.isLoading} error={check.error} />
      {mustSee ? (
        <Alert color="yellow" data-testid="deploy-over">
          <Stack gap={8}>
            {reverted === null ? null : (
              <Text size="sm">
                {t('configuration:draftReverted', {
                  time: formatDateTime(reverted.finished_ms ?? 0),
                  reason: reason(reverted.code, reverted.detail),
                })}
              </Text>
            )}
            {state.local_edit || running === null ? (
              <Text size="sm">
                {t(state.local_edit ? 'configuration:deploy.overLocal' : 'configuration:deploy.overUnknown')}
              </Text>
            ) : null}
            <Checkbox
              checked={seen}
              onChange={(event) => setSeen(event.currentTarget.checked)}
              label={t('configuration:deploy.seen')}
            />
          </Stack>
        </Alert>
      ) : null}
      <OptionFields
        options={options}
        online={online}
        onChange={(change) => setOptions((now) => ({ ...now, ...change }))}
      />
      {send.error === null ? null : (
        <Alert color="red" role="alert" data-testid="deploy-error">
          {errorText(send.error)}
        </Alert>
      )}
      <Group justify="flex-end" gap={8}>
        <Button variant="default" onClick={() => show({ deploy: undefined })}>
          {t('base:action.cancel')}
        </Button>
        <Button
          leftSection={<IconPlayerPlay size={16} />}
          disabled={!isReady}
          loading={send.isPending}
          onClick={() => send.mutate()}
          data-testid="deploy-submit"
        >
          {t(online ? 'configuration:deploy.now' : 'configuration:deploy.later')}
        </Button>
      </Group>
    </Stack>
  );
}

interface Options {
  confirm_s: number;
  healthy_share: number;
  wait: boolean;
  wait_s: number;
}

/** What the caller saw running is the base: nothing that came meanwhile is overwritten. */
function bodyOf(hash: string, running: string | null, { confirm_s, healthy_share, wait, wait_s }: Options): DeployBody {
  const base = running === null ? { force: true } : { base: running };
  return { hash, confirm_s, healthy_share, wait, ...(wait ? { expires_s: wait_s } : {}), ...base };
}

interface JudgementProps {
  hash: string;
  check: DeploymentDetail | undefined;
  isPending: boolean;
  error: unknown;
}

/** The gateway's own check: what it refuses, or what changes on its buses. */
function Judgement({ hash, check, isPending, error }: JudgementProps): ReactElement | null {
  const { t } = useTranslation();
  const countWords = useCountWords();
  if (isPending) {
    return (
      <Group gap={8} role="status" data-testid="checking">
        <Loader size="xs" />
        <Text size="sm">{t('configuration:deploy.checking')}</Text>
      </Group>
    );
  }
  if (check === undefined) return error === null ? null : <Alert color="yellow">{errorText(error)}</Alert>;
  if (check.state === 'refused') {
    const why = codeKey(check.code);
    return (
      <Alert color="red" role="alert" title={t('configuration:deploy.wouldRefuse')} data-testid="check-refused">
        {check.faults.length === 0 ? (
          `${why === null ? check.code : t(why)} ${check.detail}`
        ) : (
          <Faults hash={hash} faults={check.faults} />
        )}
      </Alert>
    );
  }
  if (!isFinal(check.state) || toneOf(check.state) !== 'ok')
    return <Alert color="yellow">{t('configuration:deploy.noCheck')}</Alert>;
  return (
    <section aria-label={t('configuration:deploy.checked')} data-testid="check-passed">
      <Text size="sm" fw={600} mb={4}>
        {t('configuration:deploy.checked')}
      </Text>
      {check.change === null ? null : (
        <>
          <Text size="sm">
            {t(isReadAlike(check.change) ? 'configuration:deploy.pointsAlike' : 'configuration:deploy.points', {
              counts: countWords({
                added: check.change.points_added,
                removed: check.change.points_removed,
                changed: check.change.points_changed,
              }),
            })}
          </Text>
          <Loads ports={check.change.ports ?? []} />
          <Text size="sm" mt={4}>
            {check.change.restarts_link === true ? (
              <ToneText tone="warn">{t('configuration:deploy.restartsLink')}</ToneText>
            ) : (
              t('configuration:deploy.keepsLink')
            )}
          </Text>
        </>
      )}
    </section>
  );
}

/** The gateway does not count names: they change nothing of what it reads. */
function isReadAlike({
  points_added,
  points_removed,
  points_changed,
}: NonNullable<DeploymentDetail['change']>): boolean {
  return points_added + points_removed + points_changed === 0;
}

interface OptionProps {
  options: Options;
  online: boolean;
  onChange: (change: Partial<Options>) => void;
}

function OptionFields({ options, online, onChange }: OptionProps): ReactElement {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  const times = (seconds: readonly number[]): { value: string; label: string }[] =>
    seconds.map((each) => ({ value: String(each), label: duration(each * 1000) }));
  return (
    <Stack gap="sm">
      <Select
        label={t('configuration:deploy.confirmWithin')}
        description={t('configuration:deploy.confirmHint')}
        data={times(CONFIRM_S)}
        value={String(options.confirm_s)}
        onChange={(value) => value !== null && onChange({ confirm_s: Number(value) })}
        allowDeselect={false}
        data-testid="confirm-within"
      />
      <Select
        label={t('configuration:deploy.healthyShare')}
        data={SHARES.map((share) => ({
          value: String(share),
          label: share === 0 ? t('configuration:deploy.anyShare') : `${share * 100} %`,
        }))}
        value={String(options.healthy_share)}
        onChange={(value) => value !== null && onChange({ healthy_share: Number(value) })}
        allowDeselect={false}
      />
      <Switch
        label={t('configuration:deploy.wait')}
        description={online ? t('configuration:deploy.waitOnlineHint') : undefined}
        checked={options.wait}
        onChange={(event) => onChange({ wait: event.currentTarget.checked })}
        data-testid="wait-offline"
      />
      {options.wait ? (
        <Select
          label={t('configuration:deploy.waitFor')}
          data={times(WAIT_S)}
          value={String(options.wait_s)}
          onChange={(value) => value !== null && onChange({ wait_s: Number(value) })}
          allowDeselect={false}
        />
      ) : null}
    </Stack>
  );
}
