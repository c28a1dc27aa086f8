import { Pill, SegmentedControl, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { findDevices } from '../devices/devicePicker';
import { ProjectSelect } from '../devices/ProjectSelect';
import { Trouble } from '@/components/Trouble';
import { AsyncPicker } from '@/components/AsyncPicker';
import type { Choice } from '@/components/AsyncPicker';
import { devicesOfProject } from './api';
import type { Targets } from './api';
import classes from './apply.module.css';
import { SlaveField } from './SlaveField';

const WAYS = ['users', 'devices', 'project'] as const;
type Way = (typeof WAYS)[number];

interface Props {
  isPoint: boolean;
  max: number;
  /** null: those that use the template; no gateways while nothing is chosen yet. */
  onChange: (targets: Targets | null) => void;
}

/** Which gateways get a template: those that use it, chosen ones, or all of a project. */
export function TargetChoice({ isPoint, max, onChange }: Props): ReactElement {
  const { t } = useTranslation();
  const [way, setWay] = useState<Way>('users');
  const [devices, setDevices] = useState<readonly Choice[]>([]);
  const [project, setProject] = useState('');
  const [slave, setSlave] = useState('');
  const { data, error, refetch } = useQuery({
    ...devicesOfProject(project, max),
    enabled: way === 'project' && project !== '',
  });
  useEffect(() => {
    if (way === 'users') return onChange(null);
    const deviceIds =
      way === 'devices' ? devices.map(({ value }) => Number(value)) : project === '' ? [] : (data ?? []);
    onChange({ deviceIds, slave });
  }, [way, devices, project, data, slave, onChange]);
  return (
    <div className={classes.targets}>
      <SegmentedControl
        size="xs"
        value={way}
        onChange={(next) => setWay(next as Way)}
        data={WAYS.map((value) => ({ value, label: t(`templates:apply.way.${value}`) }))}
        aria-label={t('templates:apply.wayLabel')}
        data-testid="apply-way"
      />
      {way === 'devices' ? (
        <>
          <AsyncPicker
            inBar
            label={t('templates:apply.addDevice')}
            value={null}
            onChange={(choice) =>
              choice !== null &&
              setDevices((known) =>
                known.some(({ value }) => value === choice.value) ? known : [...known, choice].slice(0, max),
              )
            }
            load={findDevices}
            queryKey={['device', 'pick']}
            testId="apply-device"
          />
          <div className={classes.picked} data-testid="apply-picked">
            {devices.map(({ value, label }) => (
              <Pill
                key={value}
                withRemoveButton
                removeButtonProps={{
                  'aria-label': t('templates:apply.without', { name: label }),
                  'aria-hidden': false,
                  tabIndex: 0,
                }}
                onRemove={() => setDevices((known) => known.filter((each) => each.value !== value))}
              >
                {label}
              </Pill>
            ))}
          </div>
        </>
      ) : null}
      {way === 'project' ? (
        <ProjectSelect value={project} onChange={(next) => setProject(next ?? '')} testId="apply-project" />
      ) : null}
      {way !== 'users' && isPoint ? <SlaveField value={slave} onChange={setSlave} /> : null}
      {way === 'project' && data?.length === max ? (
        <Text size="sm">{t('templates:apply.most', { count: max })}</Text>
      ) : null}
      {error === null ? null : <Trouble error={error} onRetry={() => void refetch()} />}
    </div>
  );
}
