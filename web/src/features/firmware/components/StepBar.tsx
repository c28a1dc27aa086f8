import { useCallback } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import classes from '../firmware.module.css';
import type { BarPart } from '../steps';

interface Props {
  parts: readonly BarPart[];
  small?: boolean;
}

/** Gateways by step, side by side. Its words are the parts' names with their numbers. */
export function StepBar({ parts, small = false }: Props): ReactElement {
  const words = usePartWords();
  const label = parts.map(words).join(', ');
  return (
    <div className={classes.bar} role="img" aria-label={label} title={label} data-small={small || undefined}>
      {parts.map(({ name, count }) => (
        <span key={name} className={classes.part} data-part={name} style={{ flexGrow: count }} />
      ))}
    </div>
  );
}

/** Steps below a bar; one that is pressed is what the table shows alone. */
export function StepLegend({
  parts,
  chosen,
  onChoose,
}: {
  parts: readonly BarPart[];
  chosen: string;
  onChoose: (name: string) => void;
}): ReactElement {
  const words = usePartWords();
  return (
    <ul className={classes.legend} data-testid="plan-steps">
      {parts.map((part) => (
        <li key={part.name}>
          <button
            type="button"
            aria-pressed={chosen === part.name}
            onClick={() => onChoose(chosen === part.name ? '' : part.name)}
            data-step={part.name}
            data-count={part.count}
          >
            <span className={classes.dot} data-part={part.name} />
            {words(part)}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** 'Failed: 3' */
export function usePartWords(): (part: BarPart) => string {
  const { t } = useTranslation();
  return useCallback(
    ({ name, count }: BarPart) => t('firmware:partCount', { part: t(`firmware:part.${name}`), count }),
    [t],
  );
}
