import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ScreenLink } from '@/components/ScreenLink';
import { faultsIn, formOf } from '../model/form';
import type { Fault } from '../model/form';
import { troubleOf } from '../model/trouble';
import { useWords } from '../useWords';
import classes from '../forwarding.module.css';

interface Props {
  kind: string;
  /** Of the target or of the gateway, in its own words. */
  text: string;
  /** Where it is mended: gateway and target. Without one there are no links. */
  place?: { deviceId: number; target: string };
}

/** Why: what is known of the reason in the user's words, or what kind of trouble it is, with the fields that mend it; below it as it was said. */
export function Reason({ kind, text, place }: Props): ReactElement {
  const { t } = useTranslation();
  const words = useWords();
  if (text === '') return <span className={classes.reason}>–</span>;
  const faults = faultsIn(kind, text);
  return (
    <span className={classes.reason}>
      {faults.map((fault) => (
        <span key={fault.pattern} className={classes.fault}>
          {words(fault)}
        </span>
      ))}
      {faults.length === 0 ? <span className={classes.fault}>{t(`forwarding:trouble.${troubleOf(text)}`)}</span> : null}
      {place === undefined ? null : <Mending kind={kind} faults={faults} place={place} />}
      <span className={classes.sub}>
        {t('forwarding:technical')} <span lang="en">{text}</span>
      </span>
    </span>
  );
}

/** Each field once: several reasons may lead to it. */
function Mending({
  kind,
  faults,
  place,
}: {
  kind: string;
  faults: readonly Fault[];
  place: NonNullable<Props['place']>;
}): ReactElement {
  const { t } = useTranslation();
  const words = useWords();
  const named = new Set(faults.flatMap((fault) => fault.fields ?? []));
  const fields = (formOf(kind)?.fields ?? []).filter(({ name }) => named.has(name));
  const search = { device_id: place.deviceId, tab: 'forwarding', target: place.target };
  return (
    <span className={classes.mending}>
      {fields.map((field) => (
        <ScreenLink
          key={field.name}
          path="/deviceDetail/index"
          search={{ ...search, field: field.name }}
          data-testid={`mend-${field.name}`}
        >
          {words(field)}
        </ScreenLink>
      ))}
      {faults.some((fault) => fault.page === true) ? (
        <ScreenLink
          path="/deviceDetail/index"
          search={{ device_id: place.deviceId, tab: 'remote' }}
          data-testid="mend-page"
        >
          {t('forwarding:setOnPage')}
        </ScreenLink>
      ) : null}
    </span>
  );
}
