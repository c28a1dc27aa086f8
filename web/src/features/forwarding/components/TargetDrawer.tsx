import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '@/components/form/FormDrawer';
import { useApiForm } from '@/components/form/useApiForm';
import { ruleText } from '@/components/ruleText';
import { movedOf, pointChoicesQuery, saveAndCheck } from '../api';
import type { ConfigurationFault, Edited, SavedTarget } from '../api';
import { brokenIn } from '../model/faults';
import type { Broken } from '../model/faults';
import { COMMON, formOf, kindRule, SECTIONS } from '../model/form';
import type { FormField, Row } from '../model/form';
import { merged } from '../model/moved';
import type { Moved } from '../model/moved';
import { codesOf } from '../model/suggest';
import { fieldsOf, OPTION, placeOf, valuesOf } from '../model/values';
import type { Values } from '../model/values';
import { useWords } from '../useWords';
import classes from '../forwarding.module.css';
import { MovedNotice } from './MovedNotice';
import { OptionField } from './OptionField';
import { RowsField } from './RowsField';

interface Props {
  deviceId: number;
  kind: string;
  /** Fields that it begins with. */
  fields: Row;
  /** The target that is changed, null for a new one; and the version that fields are of. */
  was: string | null;
  base: string | null;
  /** The target that a new one is a copy of, which may be saved as it is. */
  like?: string | undefined;
  /** The field that is to be mended. */
  field?: string | undefined;
  onSaved: (saved: SavedTarget) => void;
  onClose: () => void;
}

interface Place {
  field: FormField;
  path: string;
}

/** A target of the draft: what its kind says that there is, in sections; faults of the gateway at their fields. */
export default function TargetDrawer({
  deviceId,
  kind,
  fields,
  was,
  base,
  like,
  field,
  onSaved,
  onClose,
}: Props): ReactElement {
  const { t, i18n } = useTranslation();
  const words = useWords();
  const described = formOf(kind);
  const [known, setKnown] = useState<Edited & { fields: Row }>({ was, base, like, fields });
  const [moved, setMoved] = useState<Moved | null>(null);
  const [isMoved, setIsMoved] = useState(false);
  const [refused, setRefused] = useState<readonly ConfigurationFault[] | null>(null);
  const points = useQuery(pointChoicesQuery(deviceId)).data ?? [];
  const brokenText = ({ rule, args }: Broken): string => t(`forwarding:broken.${rule}`, args);
  const form = useApiForm<Values, SavedTarget>({
    values: valuesOf(kind, fields),
    validate: (values) =>
      Object.fromEntries(Object.entries(brokenIn(kind, values)).map(([place, broken]) => [place, brokenText(broken)])),
    names: placeOf,
    save: async (values) => {
      try {
        return await saveAndCheck(deviceId, known, fieldsOf(kind, values, known.fields));
      } catch (error) {
        const now = await movedOf(deviceId, known.was, error);
        setMoved(now);
        setIsMoved(now !== null);
        throw error;
      }
    },
    onSaved: (saved, values) => {
      onSaved(saved);
      const faults = saved.faults ?? [];
      if (faults.length === 0) return onClose();
      const now = fieldsOf(kind, values, known.fields);
      setKnown({ was: String(values.name), base: saved.base, fields: now });
      form.fields.resetDirty(values);
      setRefused(faults.filter((fault) => placeOf(fault.field, values) === null));
      form.fields.setErrors(
        Object.fromEntries(
          faults.flatMap((fault) => {
            const place = placeOf(fault.field, values);
            return place === null ? [] : [[place, ruleWords(fault.rule)]];
          }),
        ),
      );
    },
  });
  const ruleWords = (rule: string): string => kindRule(kind, rule, i18n.language) ?? ruleText(rule);
  const { errors, setFieldValue, clearFieldError } = form.fields;
  const values = form.fields.getValues();
  const codes = codesOf(described, values);
  const dataPathOf = (path: string): string => String(Reflect.get(form.fields.getInputProps(path), 'data-path'));
  const places: readonly Place[] = [
    ...COMMON.map((each) => ({ field: each, path: each.name })),
    ...(described?.fields ?? []).map((each) => ({ field: each, path: OPTION + each.name })),
  ];
  const change = (path: string, value: unknown): void => {
    setFieldValue(path, value as never);
    for (const key of Object.keys(errors)) if (key === path || key.startsWith(`${path}.`)) clearFieldError(key);
  };
  const input = ({ field: each, path }: Place): ReactElement =>
    each.kind === 'rows' ? (
      <RowsField
        key={path}
        field={each}
        rows={values[path] as readonly Row[]}
        errors={errors}
        path={path}
        dataPathOf={dataPathOf}
        onChange={(rows) => change(path, rows)}
        points={points}
        codes={codes}
      />
    ) : (
      <OptionField
        key={path}
        field={each}
        value={values[path]}
        error={errors[path]}
        path={path}
        dataPathOf={dataPathOf}
        isFirst={each.name === field && path !== each.name}
        onChange={(value) => change(path, value)}
        points={points}
        codes={codes}
      />
    );
  const take = (theirs: Row, keepsMine: boolean): void => {
    const now = valuesOf(kind, theirs);
    form.fields.setValues(keepsMine ? merged(kind, known.fields, theirs, values) : now);
    form.fields.resetDirty(now);
    setKnown({ was: String(theirs.name), base: moved?.base ?? null, fields: theirs });
    setMoved(null);
  };
  const anew = (): void => {
    // Its secrets are those of the version in which it was.
    setKnown({ was: null, base: known.base, like: known.was ?? undefined, fields: known.fields });
    setMoved(null);
  };
  const title = was === null ? t('forwarding:target.add') : t('forwarding:target.edit', { name: was });
  return (
    <FormDrawer
      title={described === undefined ? title : `${title} · ${words(described.title)}`}
      form={isMoved ? { ...form, failure: '' } : form}
      onClose={onClose}
      save={t('forwarding:target.save')}
      proposed={like !== undefined}
      size={760}
    >
      {moved === null ? null : (
        <MovedNotice kind={kind} moved={moved} before={known.fields} mine={values} onTake={take} onAnew={anew} />
      )}
      {refused === null ? null : (
        <Alert color="yellow" role="alert" data-testid="target-refused">
          {t('forwarding:target.refused')}
          <ul className={classes.faults}>
            {refused.map((fault) => (
              <li key={`${fault.field} ${fault.rule}`}>
                <code>{fault.field}</code> {ruleWords(fault.rule)}
              </li>
            ))}
          </ul>
        </Alert>
      )}
      {SECTIONS.map(({ name, ...section }) => {
        const within = places.filter((place) => place.field.section === name);
        return within.length === 0 ? null : (
          <fieldset key={name} className={classes.section} data-testid={`section-${name}`}>
            <legend>{words(section)}</legend>
            {within.map(input)}
          </fieldset>
        );
      })}
    </FormDrawer>
  );
}
