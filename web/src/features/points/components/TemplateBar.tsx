import { Badge, Button, Group, Text } from '@mantine/core';
import { IconUnlink } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ScreenLink } from '@/components/ScreenLink';
import { useConfirm } from '@/components/useConfirm';
import { useMay } from '@/lib/session';
import classes from '../points.module.css';
import type { SlaveTemplate } from './useTemplate';

interface Props {
  template: SlaveTemplate;
  /** Identifiers of the selected points that the cloud has. */
  selected: readonly string[];
  /** Why nothing can be changed; '' when it can. */
  hindrance: string;
}

/** Which template the slave's points come from, how much of them is the slave's own, and the way out of it. */
export function TemplateBar({ template, selected, hindrance }: Props): ReactElement | null {
  const { t } = useTranslation();
  const [ask, question] = useConfirm();
  const may = useMay('DeviceTemplate');
  const { link, marks, removed } = template;
  if (link === undefined) return null;
  const own = new Set(link.own);
  const leaving = selected.filter((name) => !own.has(name));
  const overridden = [...marks.values()].reduce((sum, fields) => sum + fields.size, 0) + removed.length;
  const blocked = hindrance || (may ? '' : t('base:perm.missing'));
  const leave = async (): Promise<void> => {
    const words = {
      title: t('points:template.detachTitle'),
      text: t('points:template.detachText'),
      confirm: t('points:template.detach'),
    };
    if (await ask(words)) template.detach(null);
  };
  return (
    <Group className={classes.tabs} gap="xs" data-testid="points-template">
      <Text span size="sm">
        {t('points:template.from')}{' '}
        {link.title === null || !may ? (
          (link.title ?? t('points:template.hidden'))
        ) : (
          <ScreenLink path="/device/slaveDeviceTemplate" search={{ id: link.template_id }}>
            {link.title}
          </ScreenLink>
        )}
      </Text>
      <Badge size="sm" variant="default" tt="none" data-testid="points-template-version">
        {link.newest !== null && link.version < link.newest
          ? t('points:template.behind', { version: link.version, newest: link.newest })
          : `v${link.version}`}
      </Badge>
      <span className={classes.by} role="status" data-testid="points-overridden" data-count={overridden}>
        {overridden === 0 ? t('points:template.same') : t('points:template.overridden', { count: overridden })}
        {removed.length === 0 ? '' : ` · ${t('points:template.removed', { names: removed.join(', ') })}`}
        {link.own.length === 0 ? '' : ` · ${t('points:template.own', { count: link.own.length })}`}
      </span>
      <span className={classes.grow} />
      <Button
        variant="default"
        size="compact-sm"
        disabled={blocked !== '' || leaving.length === 0 || template.isWorking}
        title={blocked || undefined}
        onClick={() => template.detach(leaving)}
        data-testid="points-detach"
      >
        {t('points:template.detachPoints', { count: leaving.length })}
      </Button>
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<IconUnlink size={14} aria-hidden />}
        disabled={blocked !== '' || template.isWorking}
        title={blocked || undefined}
        onClick={() => void leave()}
        data-testid="slave-detach"
      >
        {t('points:template.detach')}
      </Button>
      {question}
    </Group>
  );
}
