import { Alert, Button, Checkbox, Drawer, Group, Loader, Select, Switch, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/components/notices';
import { Trouble } from '@/components/Trouble';
import { useMay } from '@/lib/session';
import { applyTemplate, previewQuery } from '../api';
import type { PreviewRow, TemplateRow } from '../api';
import classes from '../templates.module.css';
import { ApplyResult } from './ApplyResult';
import { stateWords } from './stateWords';

interface Props {
  node: TemplateRow;
  version: number;
  onClose: () => void;
}

/** Which drafts a version changes, and how; then the same for those that were chosen. */
export default function ApplyDrawer({ node, version, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const [number, setNumber] = useState(version);
  const [keep, setKeep] = useState(true);
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set());
  const mayApply = useMay('DeviceManage');
  const { data, error, refetch, isFetching } = useQuery(previewQuery(node.template_id, number, keep));
  const changing = data?.rows.filter(({ state }) => state === 'change') ?? [];
  const chosen = changing.filter(({ device_id }) => !left.has(device_id)).map(({ device_id }) => device_id);
  const applying = useMutation({ mutationFn: () => applyTemplate(node.template_id, number, chosen, keep), meta: { shownInPlace: true } });
  const choose = (id: number, is: boolean): void => {
    const next = new Set(left);
    if (is) next.delete(id);
    else next.add(id);
    setLeft(next);
  };
  const versions = Array.from({ length: node.newest }, (_, at) => String(node.newest - at));
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={620}
      title={t('templates:apply.title', { title: node.title })}
      closeButtonProps={{ 'aria-label': t('base:action.close') }}
      data-testid="apply-drawer"
    >
      {applying.data === undefined ? (
        <>
          <p>{t('templates:apply.about')}</p>
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
          {data === undefined && error === null ? <Loader size="sm" /> : null}
          {data === undefined ? null : (
            <div aria-busy={isFetching}>
              <Text size="sm" fw={600} role="status" data-testid="apply-counts">
                {t('templates:apply.counts', { total: data.total, changing: changing.length })}
                {data.total > data.rows.length ? ` ${t('templates:apply.cut', { count: data.rows.length })}` : ''}
              </Text>
              {data.rows.map((row) => (
                <Choice key={row.device_id} row={row} isChosen={!left.has(row.device_id)} onChoose={(is) => choose(row.device_id, is)} />
              ))}
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
              disabled={chosen.length === 0 || !mayApply}
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
    </Drawer>
  );
}

function Choice({ row, isChosen, onChoose }: { row: PreviewRow; isChosen: boolean; onChoose: (is: boolean) => void }): ReactElement {
  const { t } = useTranslation();
  const isOpen = row.state === 'change';
  return (
    <div className={classes.choice} data-testid="apply-row" data-id={row.device_id} data-state={row.state}>
      <Checkbox
        checked={isOpen && isChosen}
        disabled={!isOpen}
        onChange={(event) => onChoose(event.currentTarget.checked)}
        aria-label={row.device_title}
        data-testid="apply-choose"
      />
      <span>
        {row.device_title}{' '}
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
    </div>
  );
}
