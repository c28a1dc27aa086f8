import { ActionIcon } from '@mantine/core';
import { IconStar, IconStarFilled } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '@/lib/session';
import { useFavouriteDevices } from './favouriteDevices';
import { useFavourites } from '../history/favourites';
import type { RememberedPoint } from '../history/remembered';

interface Props {
  isOn: boolean;
  onToggle: (() => void) | undefined;
  /** Of what is marked. */
  title: string;
}

/** Marks something for the landing page. */
function Star({ isOn, onToggle, title }: Props): ReactElement {
  const { t } = useTranslation();
  const label = t(isOn ? 'base:star.off' : 'base:star.on', { title });
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={28}
      disabled={onToggle === undefined}
      onClick={onToggle}
      aria-pressed={isOn}
      aria-label={label}
      title={label}
      data-testid="star"
    >
      {isOn ? <IconStarFilled size={16} /> : <IconStar size={16} stroke={1.6} />}
    </ActionIcon>
  );
}

/** Marks a gateway. */
export function DeviceStar({ id, title }: { id: number; title: string }): ReactElement {
  const { ids, toggle } = useFavouriteDevices();
  return <Star isOn={ids.includes(id)} onToggle={toggle && (() => toggle(id))} title={title} />;
}

/** Marks a point: history offers it first, the landing page shows it. */
export function PointStar({ point, title }: { point: RememberedPoint; title: string }): ReactElement {
  const user = useSession((state) => Number(state.user?.id ?? 0));
  const { points, toggle } = useFavourites(user);
  return (
    <Star
      isOn={points.some(({ dsid }) => dsid === point.dsid)}
      onToggle={toggle && (() => toggle(point))}
      title={title}
    />
  );
}
