import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { saveBlob } from '../clipboard';
import { usePerm } from '../permission';
import type { ListRequest, Resource } from './resource';

interface ToolsProps<Row, Values extends Record<string, unknown>> {
  resource: Resource<Row, Values>;
  request: ListRequest;
  onCopy: () => void;
  onSave: () => void;
}

/** Copy and export of a list. */
export function Tools<Row, Values extends Record<string, unknown>>({
  resource,
  request,
  onCopy,
  onSave,
}: ToolsProps<Row, Values>): ReactElement {
  const { t } = useTranslation();
  const { download } = resource;
  const mayDownload = usePerm(download?.may);
  const load = useMutation({
    mutationFn: () => download?.load(request) ?? Promise.resolve(null),
    onSuccess: (blob) => blob !== null && saveBlob(download?.name ?? resource.name, blob),
  });
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon
          variant="default"
          size={32}
          loading={load.isPending}
          aria-label={t('base:table.more')}
          title={t('base:table.more')}
          data-testid="table-more"
        >
          <IconDots size={17} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={onCopy} data-testid="table-copy">
          {t('base:table.copy')}
        </Menu.Item>
        {download === undefined ? (
          <Menu.Item onClick={onSave} data-testid="table-export">
            {t('base:table.export')}
          </Menu.Item>
        ) : (
          <Menu.Item disabled={!mayDownload} onClick={() => load.mutate()} data-testid="table-export">
            {t('base:table.exportAll')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
