import { Button, Group, Pill } from '@mantine/core';
import { IconChartDots3 } from '@tabler/icons-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '@/lib/session';
import classes from './history.module.css';
import { labelOf, pointOf, remember } from './remembered';
import type { RememberedPoint } from './remembered';
import { MAX_SERIES } from './series';
import type { DeviceSource } from './useSources';

const PointDrawer = lazy(() => import('./PointDrawer'));

interface Props {
  chosen: readonly DeviceSource[];
  /** The gateway whose points are offered first. */
  device: number | null;
  /** Only that one. */
  fixed: boolean;
  onChange: (points: readonly RememberedPoint[]) => void;
}

/** The chosen points, and a drawer in which others are found: by gateway, among the last ones and the marked ones. */
export function PointChooser({ chosen, device, fixed, onChange }: Props): ReactElement {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const user = useSession((state) => Number(state.user?.id ?? 0));
  const points = useMemo(() => chosen.map(pointOf), [chosen]);
  const set = (next: readonly RememberedPoint[]): void => {
    onChange(next.slice(0, MAX_SERIES));
    const fresh = next.filter(({ dsid }) => !points.some((known) => known.dsid === dsid));
    if (fresh.length > 0) remember('recent', user, fresh);
  };
  return (
    <>
      <Group gap={6} flex="1 1 100%" className={classes.chosen}>
        <Button
          variant="default"
          leftSection={<IconChartDots3 size={16} stroke={1.6} />}
          onClick={() => setOpen(true)}
          aria-haspopup="dialog"
          data-testid="point-chooser"
        >
          {t('base:history.points')}
        </Button>
        {chosen.map((source) => (
          <Pill
            key={source.dsid}
            withRemoveButton
            onRemove={() => set(points.filter(({ dsid }) => dsid !== source.dsid))}
            removeButtonProps={{
              'aria-label': t('base:history.without', { name: source.ds_title }),
              'aria-hidden': false,
              tabIndex: 0,
            }}
            title={labelOf(source)}
            data-testid="chosen-point"
          >
            {source.ds_title}
          </Pill>
        ))}
      </Group>
      {isOpen ? (
        <Suspense>
          <PointDrawer
            points={points}
            device={device}
            fixed={fixed}
            user={user}
            onChange={set}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      ) : null}
    </>
  );
}
