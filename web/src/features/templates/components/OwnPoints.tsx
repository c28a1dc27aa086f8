import { Select } from '@mantine/core';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ProtocolForm } from '@/api/generated/types.gen';
import { Empty } from '@/components/Empty';
import type { Fields, Point } from '@/blocks/points/point';
import { pointProtocol } from '@/blocks/points/protocols';
import { useTab } from '@/lib/tab';
import { nameOf } from '../model/lines';
import type { Line } from '../model/lines';
import { slaveOf, slavesWithPoints, withPointsOf } from '../model/points';
import { PointRows } from './PointRows';

interface Props {
  slaves: readonly Line[];
  points: readonly Point[];
  protocols: readonly ProtocolForm[];
  /** Absent: only read. */
  onChange?: (points: readonly Point[]) => void;
  maxRows: number;
  height: string;
}

const NO_OPTIONS: Fields = {};

/** Points that a gateway template itself has, slave by slave, each with the columns and rules of its protocol. */
export function OwnPoints({ slaves, points, protocols, onChange, maxRows, height }: Props): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const names = slavesWithPoints(slaves, points);
  const slave = names.find((name) => name === search.slave) ?? names[0];
  if (slave === undefined) return <Empty title={t('templates:nothingIn.points')} text={t('templates:ownHint')} />;
  return (
    <>
      <Select
        size="xs"
        w={240}
        mx="sm"
        mb="xs"
        label={t('templates:field.slave')}
        data={names.map((name) => ({
          value: name,
          label: `${name} · ${t('templates:note.points', { count: points.filter((point) => slaveOf(point) === name).length })}`,
        }))}
        value={slave}
        onChange={(value) => setSearch({ slave: value ?? undefined })}
        allowDeselect={false}
        searchable={names.length > 8}
        data-testid="own-points-slave"
      />
      <OfSlave
        key={slave}
        slave={slave}
        slaves={slaves}
        points={points}
        protocols={protocols}
        onChange={onChange}
        maxRows={maxRows}
        height={height}
      />
    </>
  );
}

function OfSlave({
  slave,
  slaves,
  points,
  protocols,
  onChange,
  maxRows,
  height,
}: Props & { slave: string }): ReactElement {
  const { t } = useTranslation();
  const own = useMemo(() => points.filter((point) => slaveOf(point) === slave), [points, slave]);
  const fields = slaves.find((line) => nameOf(line) === slave)?.fields ?? {};
  const options = (fields.options as Fields | undefined) ?? NO_OPTIONS;
  const wanted = pointProtocol(String(fields.protocol ?? ''), options);
  return (
    <PointRows
      name="template-points"
      label={t('templates:part.points')}
      points={own}
      form={protocols.find(({ name }) => name === wanted)}
      options={options}
      onChange={onChange === undefined ? undefined : (rows) => onChange(withPointsOf(points, slave, rows))}
      maxRows={maxRows - points.length + own.length}
      height={height}
      empty={t('templates:noPoints')}
    />
  );
}
