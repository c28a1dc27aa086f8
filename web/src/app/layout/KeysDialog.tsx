import { Kbd, Modal } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { screenAt } from '@/lib/screens';
import { searchField } from './keys';
import classes from './palette/palette.module.css';
import { useGoKeys } from './useKeys';

/** The keys that do something here and now. */
export default function KeysDialog({ onClose }: { onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const goKeys = useGoKeys();
  const [hasSearch] = useState(() => searchField() !== null);
  const here: [keys: string[], does: string][] = [
    [['Ctrl', 'K'], t('base:keys.palette')],
    ...(hasSearch ? ([[['/'], t('base:keys.search')]] as [string[], string][]) : []),
    [['?'], t('base:keys.title')],
    [['Esc'], t('base:keys.close')],
  ];
  const screens = goKeys.map(([letter, path]): [string[], string] => [
    ['G', letter.toUpperCase()],
    t(screenAt(path)?.titleKey ?? ''),
  ]);
  return (
    <Modal opened onClose={onClose} title={t('base:keys.title')} size="md" data-testid="keys">
      <Keys title={t('base:keys.general')} keys={here} />
      {screens.length === 0 ? null : <Keys title={t('base:keys.screens')} keys={screens} />}
      <p className={classes.hint}>{t('base:keys.typing')}</p>
    </Modal>
  );
}

function Keys({ title, keys }: { title: string; keys: readonly (readonly [string[], string])[] }): ReactElement {
  return (
    <>
      <h3 className={classes.group}>{title}</h3>
      <dl className={classes.keys}>
        {keys.map(([pressed, does]) => (
          <div key={does}>
            <dt>{does}</dt>
            <dd>
              {pressed.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
