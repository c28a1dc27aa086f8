import { Input, Switch, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '@/components/form/FormDrawer';
import { useApiForm } from '@/components/form/useApiForm';
import { QUICK_ICONS } from '@/components/quickIcons';
import { UploadField } from '@/components/UploadField';
import { isOwnPicture } from '@/lib/brand';
import { isSafe } from '@/lib/quickEntries';
import type { QuickEntry } from '@/lib/quickEntries';
import { uploadPicture } from '../api';
import classes from '../platform.module.css';

type Draft = { text: string; url: string; icon: string; newWindow: boolean };

const MAX_URL = 500;
const FIRST_ICON = 'link';

interface Props {
  /** Null for a new one. */
  entry: QuickEntry | null;
  onSave: (entry: QuickEntry) => Promise<void>;
  onClose: () => void;
}

/** One button of the top bar. */
export function EntryForm({ entry, onSave, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const form = useApiForm<Draft>({
    values: {
      text: entry?.text ?? '',
      url: entry?.url ?? '',
      icon: entry?.icon || FIRST_ICON,
      newWindow: entry?.newWindow ?? true,
    },
    validate: {
      text: (text) => (text.trim() === '' ? t('platform:quick.rule.text') : null),
      url: (url) =>
        isSafe(url.trim()) && !/\s/.test(url.trim()) && url.trim().length <= MAX_URL
          ? null
          : t('platform:quick.rule.url'),
    },
    save: (draft) => onSave({ ...draft, text: draft.text.trim(), url: draft.url.trim() }),
    onSaved: onClose,
  });
  const { fields } = form;
  const { icon } = fields.getValues();
  return (
    <FormDrawer
      title={entry === null ? t('platform:quick.add') : t('platform:quick.edit')}
      form={form}
      onClose={onClose}
    >
      <TextInput
        label={t('platform:quick.text')}
        required
        maxLength={50}
        data-autofocus
        data-testid="entry-text"
        {...fields.getInputProps('text')}
      />
      <TextInput
        label={t('platform:quick.url')}
        description={t('platform:quick.urlHint')}
        required
        inputMode="url"
        autoCapitalize="none"
        spellCheck={false}
        data-testid="entry-url"
        {...fields.getInputProps('url')}
      />
      <Switch
        label={t('platform:quick.newWindow')}
        data-testid="entry-window"
        {...fields.getInputProps('newWindow', { type: 'checkbox' })}
      />
      <Input.Wrapper label={t('platform:quick.icon')} labelElement="div">
        <div className={classes.icons} role="radiogroup" aria-label={t('platform:quick.icon')}>
          {Object.entries(QUICK_ICONS).map(([name, Icon]) =>
            Icon === undefined ? null : (
              <label key={name} className={classes.icon} title={t(`platform:icon.${name}`)}>
                <input
                  type="radio"
                  name="icon"
                  value={name}
                  checked={name === icon}
                  onChange={() => fields.setFieldValue('icon', name)}
                  aria-label={t(`platform:icon.${name}`)}
                />
                <Icon size={20} stroke={1.6} />
              </label>
            ),
          )}
        </div>
      </Input.Wrapper>
      <UploadField
        kind="icon"
        label={t('platform:quick.ownIcon')}
        value={isOwnPicture(icon) ? [icon] : []}
        onChange={([url]) => fields.setFieldValue('icon', url ?? FIRST_ICON)}
        upload={(file) => uploadPicture('icon', file)}
        error={fields.errors.icon}
      />
    </FormDrawer>
  );
}
