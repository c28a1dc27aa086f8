import { Alert, Button, Group, Text } from '@mantine/core';
import { IconPencil, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { PageSkeleton } from '@/components/PageSkeleton';
import page from '@/components/page.module.css';
import { usePerm } from '@/components/permission';
import { FOR_EVER, retentionQuery } from '@/blocks/retention/api';
import type { RetentionDays } from '@/blocks/retention/api';
import { RetentionFacts } from '@/blocks/retention/RetentionFacts';
import { OwnLimit } from '@/blocks/retention/OwnLimit';
import { Trouble } from '@/components/Trouble';
import type { Setting } from '../components/RetentionForm';
import classes from '../history.module.css';

const DAY_MS = 86_400_000;

const RetentionForm = lazy(() => import('../components/RetentionForm'));
const NewRetention = lazy(() => import('../components/NewRetention'));

/** How long history is kept: what holds for everybody, and users who have their own. */
export default function RetentionPage(): ReactElement {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery({ ...retentionQuery, refetchOnWindowFocus: false });
  const maySetAll = usePerm({ permission: 'SystemSetting', userTypes: [0] });
  const [edited, setEdited] = useState<Setting | 'new' | null>(null);
  const close = (): void => setEdited(null);
  if (error !== null) return <Trouble error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <PageSkeleton />;
  const { platform, users, clock_ahead_ms: aheadMs, own_limit_s: limitS } = data;
  const edit = (setting: Setting): ReactElement => (
    <Button
      variant="default"
      leftSection={<IconPencil size={16} />}
      onClick={() => setEdited(setting)}
      aria-label={t('history:retention.editOf', { name: setting.name })}
      data-testid="retention-edit"
    >
      {t('history:retention.edit')}
    </Button>
  );
  const everybody: Setting = {
    user: null,
    name: t('history:retention.platform'),
    kept: platform ?? FOR_EVER,
    isSet: platform !== null,
  };
  return (
    <section className={page.panel}>
      <div className={page.bar}>
        <h1>{t('history:retention.title')}</h1>
        <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited('new')} data-testid="retention-add">
          {t('history:retention.add')}
        </Button>
      </div>
      <div className={classes.body}>
        <Text size="sm" c="dimmed">
          {t('history:retention.lead')}
        </Text>
        {aheadMs === 0 ? null : (
          <Alert
            color="orange"
            title={t('history:retention.ahead', { days: Math.round(aheadMs / DAY_MS) })}
            data-testid="retention-ahead"
          >
            {t('history:retention.aheadText')}
          </Alert>
        )}
        <OwnLimit limitS={limitS} />
        <Card
          title={everybody.name}
          note={platform === null ? t('history:retention.notSet') : ''}
          kept={everybody.kept}
          testId="retention-platform"
        >
          {maySetAll ? edit(everybody) : null}
        </Card>
        <h2 className={classes.part}>{t('history:retention.users')}</h2>
        {users.length === 0 ? (
          <Empty title={t('history:retention.none')} text={t('history:retention.noneText')} />
        ) : null}
        {users.map(({ user_id, user_name, kept }) => (
          <Card key={user_id} title={user_name} kept={kept} testId="retention-user">
            {edit({ user: user_id, name: user_name, kept, isSet: true })}
          </Card>
        ))}
      </div>
      <Suspense>
        {edited === 'new' ? (
          <NewRetention taken={users.map(({ user_id }) => user_id)} onChosen={setEdited} onClose={close} />
        ) : null}
        {edited !== null && edited !== 'new' ? <RetentionForm setting={edited} onClose={close} /> : null}
      </Suspense>
    </section>
  );
}

interface CardProps {
  title: string;
  note?: string;
  kept: RetentionDays;
  testId: string;
  children: ReactNode;
}

function Card({ title, note = '', kept, testId, children }: CardProps): ReactElement {
  return (
    <article className={classes.card} aria-label={title} data-testid={testId}>
      <Group justify="space-between" gap={8}>
        <div>
          <Text fw={600}>{title}</Text>
          {note === '' ? null : (
            <Text size="xs" c="dimmed">
              {note}
            </Text>
          )}
        </div>
        {children}
      </Group>
      <RetentionFacts days={kept} />
    </article>
  );
}
