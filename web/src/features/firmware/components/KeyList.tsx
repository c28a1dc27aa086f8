import { Code, Text, TextInput } from '@mantine/core';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '@/components/CopyText';
import type { ApiForm } from '@/components/form/useApiForm';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import type { Column } from '@/components/table/columns';
import { formatDateTime } from '@/lib/time';
import { addKey, deleteKey, KEYS, loadKeys, MAY_UPGRADE } from '../api';
import type { KeyBody, KeyRow } from '../api';
import classes from '../firmware.module.css';
import { isPrivate, KEY_ID, keyLine, PUBLIC_KEY } from '../publicKey';

/** Prints the line that can be pasted into the form; a command stays as it is in every language. */
const COMMAND = 'scripts/firmware key KEY_ID --out FOLDER';
const NO_KEY: KeyBody = { key_id: '', public_key: '' };

const keyFields = (form: ApiForm<KeyBody>): ReactElement => <KeyFields form={form} />;

/** Public keys by which firmware is taken. */
export default function KeyList(): ReactElement {
  const { t } = useTranslation();
  const columns = useKeyColumns();
  const resource = useMemo<Resource<KeyRow, KeyBody>>(
    () => ({
      name: 'firmware-keys',
      title: t('firmware:key.title'),
      queryKey: KEYS,
      load: loadKeys,
      unpaged: true,
      rowId: (row) => row.id,
      columns,
      filters: [{ kind: 'search', name: 'search', label: t('firmware:key.search') }],
      form: {
        empty: NO_KEY,
        of: (row) => ({ key_id: row.key_id, public_key: row.public_key }),
        words: { create: t('firmware:key.add'), edit: t('firmware:key.add') },
        mayCreate: MAY_UPGRADE,
        fields: keyFields,
        validate: {
          key_id: (text) => (KEY_ID.test(text.trim()) ? null : t('firmware:fault.keyId')),
          public_key: (text) =>
            isPrivate(text)
              ? t('firmware:fault.private')
              : PUBLIC_KEY.test(text.trim())
                ? null
                : t('firmware:fault.publicKey'),
        },
        create: ({ key_id, public_key }) => addKey({ key_id: key_id.trim(), public_key: public_key.trim() }),
      },
      remove: {
        may: MAY_UPGRADE,
        what: (row) => row.key_id,
        call: (row) => deleteKey(row.id),
        impact: (row) =>
          row.running > 0
            ? t('firmware:impact.keyPauses', { files: row.files, plans: row.running })
            : t('firmware:impact.key', { files: row.files }),
        typed: (row) => row.key_id,
        whyNot: (row) => (row.is_own ? '' : t('firmware:why.othersKey')),
      },
      empty: { title: t('firmware:key.none'), text: t('firmware:key.noneText') },
    }),
    [t, columns],
  );
  return <ResourcePage resource={resource} />;
}

function KeyFields({ form: { fields } }: { form: ApiForm<KeyBody> }): ReactElement {
  const { t } = useTranslation();
  const { onChange, ...input } = fields.getInputProps('public_key') as {
    onChange: (text: string) => void;
    value: string;
  };
  const take = (text: string): void => {
    const line = keyLine(text);
    if (line === null) onChange(text);
    else fields.setValues(line);
  };
  return (
    <>
      <Text size="sm">{t('firmware:key.how')}</Text>
      <Code block style={{ overflowX: 'auto' }} tabIndex={0}>
        {COMMAND}
      </Code>
      <Text size="sm">{t('firmware:key.private')}</Text>
      <TextInput
        label={t('firmware:key.key_id')}
        description={t('firmware:key.keyIdHint')}
        required
        maxLength={64}
        data-autofocus
        data-testid="key-id"
        {...fields.getInputProps('key_id')}
      />
      <TextInput
        label={t('firmware:key.public_key')}
        description={t('firmware:key.publicKeyHint')}
        required
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        data-testid="key-public"
        {...input}
        onChange={(event) => take(event.currentTarget.value)}
      />
      <Text size="sm" c="dimmed">
        {t('firmware:key.gateways')}
      </Text>
    </>
  );
}

function useKeyColumns(): readonly Column<KeyRow>[] {
  const { t } = useTranslation();
  return useMemo(() => {
    const owner = (row: KeyRow): string => (row.is_platform ? t('firmware:key.platform') : row.user_name);
    const time = (row: KeyRow): string => formatDateTime(row.created_ms);
    return [
      {
        id: 'key_id',
        width: 180,
        title: t('firmware:key.key_id'),
        fixed: true,
        card: 'title',
        cell: (row) => <span className={classes.name}>{row.key_id}</span>,
        text: (row) => row.key_id,
      },
      {
        id: 'public_key',
        title: t('firmware:key.public_key'),
        card: 'fact',
        cell: (row) => (
          <span style={{ display: 'inline-flex', alignItems: 'center' }}>
            <span className={classes.mono}>{row.public_key}</span>
            <CopyButton text={row.public_key} name={t('firmware:key.public_key')} />
          </span>
        ),
        text: (row) => row.public_key,
      },
      { id: 'owner', title: t('firmware:key.owner'), width: 130, card: 'fact', cell: owner, text: owner },
      {
        id: 'files',
        width: 110,
        title: t('firmware:key.files'),
        align: 'right',
        cell: (row) => <span className="number">{row.files}</span>,
        text: (row) => String(row.files),
      },
      {
        id: 'running',
        width: 140,
        title: t('firmware:key.running'),
        align: 'right',
        cell: (row) => <span className="number">{row.running}</span>,
        text: (row) => String(row.running),
      },
      {
        id: 'created',
        width: 170,
        title: t('firmware:key.created_ms'),
        cell: (row) => <span className="number">{time(row)}</span>,
        text: time,
      },
    ];
  }, [t]);
}
