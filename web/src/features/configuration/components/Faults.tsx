import { Anchor } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ruleText } from '@/components/ruleText';
import classes from '../configuration.module.css';
import { useView } from './useView';

interface Props {
  hash: string;
  faults: readonly { field: string; rule: string }[];
}

/** Rules that a version breaks, each with the way to its place in the document. */
export function Faults({ hash, faults }: Props): ReactElement {
  const { t } = useTranslation();
  const { show } = useView();
  const open = (field: string): void =>
    show({ view: 'document', version: hash, field, deploy: undefined, deployment: undefined });
  return (
    <ul className={classes.faults} data-testid="faults">
      {faults.map(({ field, rule }, at) => (
        // The list is told whole and never changes; a field may break two rules.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={at}>
          <Anchor
            component="button"
            type="button"
            size="sm"
            onClick={() => open(field)}
            title={t('configuration:edit.showField')}
          >
            <code>{field}</code>
          </Anchor>
          <span className={classes.sub}>{ruleText(rule)}</span>
        </li>
      ))}
    </ul>
  );
}
