import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ScreenLink } from '@/components/ScreenLink';
import { StatusBadge } from '@/components/StatusBadge';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import { deviceTitle } from '@/lib/deviceTitle';
import { formatDateTime } from '@/lib/time';
import type { GatewayRow } from '../api';
import { toneOfState } from '../model/results';
import classes from '../parameters.module.css';
import { useResultWords } from '../useResultWords';

/** firmware: the user may know what gateways run of that. */
export function useGatewayColumns(firmware: boolean): readonly Column<GatewayRow>[] {
  const { t } = useTranslation();
  const result = useResultWords();
  return useMemo(() => {
    const title = (name: string): string => t(`parameters:column.${name}`);
    const plain = (
      id: string,
      text: (row: GatewayRow) => string,
      more: Partial<Column<GatewayRow>> = {},
    ): Column<GatewayRow> => ({ id, title: title(id), cell: (row) => text(row) || '-', text, ...more });
    const project = ({ project_id: id, project_title: name }: GatewayRow): string =>
      id === null ? '' : (name ?? t('parameters:hiddenProject'));
    const runs = ({ firmware: of }: GatewayRow): string =>
      of?.version == null ? '' : [of.name, of.version_text || of.version].filter(Boolean).join(' ');
    const upgrade = ({ firmware: of }: GatewayRow): string =>
      of?.upgrade == null ? '' : t('parameters:upgradeOf', { plan: of.upgrade.plan_name, version: of.upgrade.version });
    const upgraded = ({ firmware: of }: GatewayRow): string => {
      const at = of?.upgrade?.ended_ms ?? of?.upgrade?.step_ms ?? of?.upgrade?.ordered_ms;
      return at == null ? '' : formatDateTime(at);
    };
    const plan = ({ plan: of }: GatewayRow): string =>
      of === null ? '' : t('parameters:plan.of', { title: of.title, version: of.version });
    const executed = ({ plan: of }: GatewayRow): string => (of === null ? '' : formatDateTime(of.begun_ms));
    const columns: Column<GatewayRow>[] = [
      {
        id: 'title',
        title: title('title'),
        sort: 'device_title',
        fixed: true,
        card: 'title',
        width: 200,
        cell: (row) => (
          <ScreenLink path="/ota/device" search={{ gateway: row.id }} className={classes.title}>
            {deviceTitle(row)}
          </ScreenLink>
        ),
        text: deviceTitle,
      },
      {
        id: 'sn',
        title: title('sn'),
        sort: 'gateway_id',
        card: 'fact',
        cell: (row) => <span className={classes.mono}>{row.gateway_id}</span>,
        text: (row) => row.gateway_id,
      },
      {
        id: 'status',
        title: title('status'),
        card: 'mark',
        cell: (row) => <StatusBadge kind="device" code={row.status} isNew={row.presence.code === 'never_connected'} />,
        text: (row) => t(`base:code.device.${row.presence.code === 'never_connected' ? 'new' : row.status}`),
      },
      plain('project', project, { card: 'fact' }),
      plain('agent', (row) => row.agent_version, { card: 'fact' }),
      ...(firmware ? [plain('firmware', runs), plain('upgrade', upgrade), plain('upgraded', upgraded)] : []),
      {
        id: 'plan',
        title: title('plan'),
        card: 'fact',
        cell: (row) =>
          row.plan === null ? (
            '-'
          ) : (
            <>
              {plan(row)}
              <span className={classes.sub}>
                <ToneText tone={toneOfState(row.plan.state, row.plan.code)}>
                  {result(row.plan.state, row.plan.code)}
                </ToneText>
              </span>
            </>
          ),
        text: plan,
      },
      plain('executed', executed),
      {
        id: 'draft',
        title: title('draft'),
        card: 'fact',
        cell: (row) => (row.draft === null ? '-' : <ToneText tone="warn">{t('parameters:draft.yes')}</ToneText>),
        text: (row) => (row.draft === null ? '' : t('parameters:draft.yes')),
      },
      plain('imei', (row) => row.imei, { hidden: true }),
      plain('type', (row) => t(`parameters:type.${row.gateway_type}`, { defaultValue: '' }), { hidden: true }),
      plain('model', (row) => row.model, { hidden: true }),
      plain('points', (row) => String(row.points), { hidden: true, align: 'right' }),
    ];
    return columns;
  }, [t, result, firmware]);
}
