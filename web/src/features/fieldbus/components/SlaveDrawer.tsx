import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '@/components/form/FormDrawer';
import { INTERNAL_SLAVE } from '../api';
import type { SavedSection, SlaveDraft } from '../api';
import { fieldNamed, rowOf, SLAVE_FIELDS, valuesOf } from '../model/sections';
import { GROUPS, LEADING, slaveBroken } from '../model/slave';
import classes from '../fieldbus.module.css';
import { ChangedNotice } from './ChangedNotice';
import { SectionInput } from './SectionInput';
import { useSectionForm } from './useSectionForm';

interface Props {
  deviceId: number;
  draft: SlaveDraft;
  onSaved: (saved: SavedSection<SlaveDraft>) => void;
  onClose: () => void;
}

const FIELDS = new Map(SLAVE_FIELDS.map((field) => [field.name, field]));

/** How masters reach the internal slave. */
export default function SlaveDrawer({ deviceId, draft, onSaved, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const begun = valuesOf(SLAVE_FIELDS, draft.internal_slave ?? {});
  const { form, changed, overwrite, input } = useSectionForm({
    section: INTERNAL_SLAVE,
    deviceId,
    draft,
    values: begun,
    broken: slaveBroken,
    change: (now, values) => ({ ...now, internal_slave: rowOf(SLAVE_FIELDS, values) }),
    placeOf: (path) => {
      const name = fieldNamed(path, 'internal_slave', null);
      return name !== null && FIELDS.has(name) ? name : null;
    },
    onSaved,
    onClose,
  });
  const values = form.fields.getValues();
  return (
    <FormDrawer
      title={t('fieldbus:slave.settings')}
      form={form}
      onClose={onClose}
      save={t('fieldbus:draft.save')}
      proposed={draft.internal_slave === null}
      size={560}
    >
      {changed === null ? null : (
        <ChangedNotice
          changed={changed}
          onOverwrite={overwrite}
          onDiscard={() => {
            form.release();
            onClose();
          }}
        />
      )}
      {GROUPS.map(({ name, fields, isOpen }) => (
        <fieldset key={name} className={classes.section} data-testid={`section-${name}`}>
          <legend>{t(`fieldbus:group.${name}`)}</legend>
          {fields.map((each) => {
            const field = FIELDS.get(each);
            if (field === undefined || !(LEADING.has(each) || isOpen(values))) return null;
            return <SectionInput key={each} field={field} {...input(each)} />;
          })}
        </fieldset>
      ))}
    </FormDrawer>
  );
}
