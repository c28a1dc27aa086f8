import { Alert, Button, Checkbox, Group, Loader, Select, Switch, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/components/notices';
import { Paging } from '@/components/Paging';
import { Trouble } from '@/components/Trouble';
import { usePages, useStepBack } from '@/components/usePages';
import { deviceTitle } from '@/lib/deviceTitle';
import { useMay } from '@/lib/session';
import { applyTemplate, previewQuery } from './api';
import type { PreviewRow, Targets, Template } from './api';
import classes from './apply.module.css';
import { ApplyResult } from './ApplyResult';
import { RowDetails } from './RowDetails';
import { stateWords } from './stateWords';
import { TargetChoice } from './TargetChoice';

interface Props {
  node: Template;
  version: number;
  /** Gateways that are known from the start; absent: they are chosen here. */
  given?: Targets;
  onClose: () => void;
}

/** Gateways of one application. */
const MAX_AT_ONCE = 1000;

/** Which drafts a version changes, and how; then the same for those that were chosen. */
export function ApplyPanel({ node, version, given, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const [number, setNumber] = useState(version);
  const [keep, setKeep] = useState(true);
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set());
  const mayApply = useMay('DeviceManage');
  const pages = usePages();
  const [targets, setTargets] = useState<Targets | null>(given ?? null);
  const application = useMemo(
    () => ({ templateId: node.template_id, version: number, keep, targets }),
    [node.template_id, number, keep, targets],
  );
  const isReady =
    targets === null || (targets.deviceIds.length > 0 && (node.category === 'gateway' || targets.slave !== ''));
  const preview = useInfiniteQuery({ ...previewQuery(application), enabled: isReady });
  const { error, refetch, isFetching, hasNextPage, fetchNextPage, isError } = preview;
  const data = isReady ? preview.data : undefined;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
  useStepBack(pages, { data: data === undefined || hasNextPage ? undefined : { total: rows.length } });
  const total = data?.pages.at(-1)?.total ?? 0;
  const isComplete = data !== undefined && !hasNextPage;
  const changing = rows.filter(({ state }) => state === 'change');
  const all = changing.filter(({ device_id }) => !left.has(device_id)).map(({ device_id }) => device_id);
  const chosen = all.slice(0, MAX_AT_ONCE);
  const applying = useMutation({ mutationFn: () => applyTemplate(application, chosen), meta: { errorInPlace: true } });
  const choose = (id: number, is: boolean): void => {
    const next = new Set(left);
    if (is) next.delete(id);
    else next.add(id);
    setLeft(next);
  };
  const versions = Array.from({ length: node.newest }, (_, at) => String(node.newest - at));
  return (
    <>
      {applying.data === undefined ? (
        <>
          <p>{t('templates:apply.about')}</p>
          {given === undefined ? (
            <TargetChoice isPoint={node.category === 'point'} max={MAX_AT_ONCE} onChange={setTargets} />
          ) : null}
          {isReady ? null : (
            <Text size="sm">
              {t(targets?.deviceIds.length === 0 ? 'templates:apply.noTarget' : 'templates:apply.noSlave')}
            </Text>
          )}
          <Group gap="md" my="sm" align="end">
            <Select
              label={t('templates:field.version')}
              data={versions.map((value) => ({ value, label: `v${value}` }))}
              value={String(number)}
              onChange={(value) => setNumber(Number(value))}
              allowDeselect={false}
              w={110}
              data-testid="apply-version"
            />
            <Switch
              label={t('templates:apply.keep')}
              description={keep ? t('templates:apply.keepOn') : t('templates:apply.keepOff')}
              checked={keep}
              onChange={(event) => setKeep(event.currentTarget.checked)}
              data-testid="apply-keep"
            />
          </Group>
          {error === null ? null : <Trouble error={error} onRetry={() => void refetch()} />}
          {isReady && data === undefined && error === null ? <Loader size="sm" /> : null}
          {data === undefined ? null : (
            <div aria-busy={isFetching}>
              <Text size="sm" fw={600} role="status" data-testid="apply-counts">
                {t(targets === null ? 'templates:apply.counts' : 'templates:apply.countsOf', {
                  count: total,
                  total,
                  changing: changing.length,
                })}
                {isComplete ? '' : ` ${t('templates:apply.looking', { count: rows.length, total })}`}
              </Text>
              {all.length > MAX_AT_ONCE ? (
                <Text size="sm">{t('templates:apply.most', { count: MAX_AT_ONCE })}</Text>
              ) : null}
              {rows.slice((pages.page - 1) * pages.limit, pages.page * pages.limit).map((row) => (
                <Choice
                  key={row.device_id}
                  row={row}
                  isChosen={!left.has(row.device_id)}
                  onChoose={(is) => choose(row.device_id, is)}
                >
                  <RowDetails application={application} row={row} />
                </Choice>
              ))}
              <Paging pages={pages} total={rows.length} label={t('templates:apply.wayLabel')} />
            </div>
          )}
          {applying.error === null ? null : (
            <Alert color="red" mt="sm">
              {errorText(applying.error)}
            </Alert>
          )}
          <Group justify="flex-end" mt="md">
            <Button variant="default" onClick={onClose}>
              {t('base:action.cancel')}
            </Button>
            <Button
              disabled={chosen.length === 0 || !mayApply || !isComplete}
              title={mayApply ? undefined : t('base:perm.missing')}
              loading={applying.isPending}
              onClick={() => applying.mutate()}
              data-testid="apply-go"
            >
              {t('templates:apply.go', { count: chosen.length })}
            </Button>
          </Group>
        </>
      ) : (
        <ApplyResult jobId={applying.data.id} onClose={onClose} />
      )}
    </>
  );
}

function Choice({
  row,
  isChosen,
  onChoose,
  children,
}: {
  row: PreviewRow;
  isChosen: boolean;
  onChoose: (is: boolean) => void;
  children: ReactNode;
}): ReactElement {
  const { t } = useTranslation();
  const isOpen = row.state === 'change';
  return (
    <div className={classes.choice} data-testid="apply-row" data-id={row.device_id} data-state={row.state}>
      <Checkbox
        checked={isOpen && isChosen}
        disabled={!isOpen}
        onChange={(event) => onChoose(event.currentTarget.checked)}
        aria-label={deviceTitle(row)}
        data-testid="apply-choose"
      />
      <span>
        {deviceTitle(row)}{' '}
        <Text span size="xs" c="dimmed">
          {row.gateway_id}
        </Text>
      </span>
      <Text span size="sm">
        {stateWords(row.state, t)}
      </Text>
      {row.draft_by === null ? null : <small>{t('templates:apply.draftBy', { name: row.draft_by })}</small>}
      {row.slaves.map((slave) => (
        <small key={slave.slave}>
          {slave.slave === '' ? t('templates:usage.whole') : slave.slave}: {t('templates:apply.change', { ...slave })}
          {slave.kept > 0 ? ` · ${t('templates:apply.kept', { count: slave.kept })}` : ''}
          {slave.clashes.length > 0 ? ` · ${t('templates:apply.clashes', { names: slave.clashes.join(', ') })}` : ''}
          {slave.orphans.length > 0 ? ` · ${t('templates:apply.orphans', { names: slave.orphans.join(', ') })}` : ''}
        </small>
      ))}
      {children}
    </div>
  );
}
