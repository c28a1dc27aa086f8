import { Drawer, SegmentedControl, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Trouble } from '@/components/Trouble';
import { templatesQuery } from './api';
import type { Template } from './api';
import { ApplyPanel } from './ApplyPanel';
import { NoTemplates } from './NoTemplates';
import { SlaveField } from './SlaveField';
import classes from './apply.module.css';

const CATEGORIES = ['gateway', 'point'] as const;

/** A template for gateways that were chosen in a list: the template first, then what changes in each. */
export default function ApplyToDevices({
  ids,
  onClose,
}: {
  ids: readonly number[];
  onClose: () => void;
}): ReactElement {
  const { t } = useTranslation();
  const [category, setCategory] = useState<Template['category']>('gateway');
  const [chosen, setChosen] = useState<string | null>(null);
  const [slave, setSlave] = useState('');
  const { data, error, refetch } = useQuery(templatesQuery(category));
  const templates = data?.filter(({ kind, newest }) => kind === 'template' && newest > 0) ?? [];
  const node = templates.find(({ template_id }) => String(template_id) === chosen);
  const given = useMemo(() => ({ deviceIds: ids, slave: category === 'point' ? slave : '' }), [ids, category, slave]);
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={620}
      title={t('templates:apply.toDevices', { count: ids.length })}
      data-testid="apply-devices"
    >
      <div className={classes.targets}>
        <SegmentedControl
          size="xs"
          value={category}
          onChange={(next) => {
            setCategory(next as Template['category']);
            setChosen(null);
          }}
          data={CATEGORIES.map((value) => ({ value, label: t(`templates:title.${value}`) }))}
          aria-label={t('templates:apply.category')}
        />
        <Select
          label={t('templates:apply.template')}
          data={templates.map(({ template_id, title }) => ({ value: String(template_id), label: title }))}
          value={chosen}
          onChange={setChosen}
          searchable
          nothingFoundMessage={
            data === undefined ? (
              t('base:loading')
            ) : templates.length === 0 ? (
              <NoTemplates category={category} />
            ) : (
              t('base:table.noMatch')
            )
          }
          data-testid="apply-template"
        />
        {category === 'point' ? <SlaveField value={slave} onChange={setSlave} /> : null}
      </div>
      {error === null ? null : <Trouble error={error} onRetry={() => void refetch()} />}
      {node === undefined ? null : (
        <ApplyPanel
          key={`${node.template_id} ${given.slave}`}
          node={node}
          version={node.newest}
          given={given}
          onClose={onClose}
        />
      )}
    </Drawer>
  );
}
