import { useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useApiForm } from '@/components/form/useApiForm';
import type { ApiForm } from '@/components/form/useApiForm';
import { ruleText } from '@/components/ruleText';
import { changedOf, saveAndCheck } from '../api';
import type { Changed, Draft, SavedSection, Section } from '../api';
import type { Broken, Values } from '../model/sections';
import { useWords } from '../useWords';

interface Input<Drafted extends Draft> {
  section: Section<Drafted>;
  deviceId: number;
  /** The section as this edit began. */
  draft: Drafted;
  values: Values;
  broken: (values: Values) => Record<string, Broken>;
  /** The section with what was entered. */
  change: (draft: Drafted, values: Values) => Drafted;
  /** Where the form has a field that a fault names; draft: in which the places of rows count. */
  placeOf: (path: string, draft: Drafted, values: Values) => string | null;
  onSaved: (saved: SavedSection<Drafted>, values: Values) => void;
  onClose: () => void;
}

interface SectionForm {
  form: ApiForm<Values>;
  /** Somebody else was faster; null when nobody was. */
  changed: Changed | null;
  /** Save what was entered over what the other one left. */
  overwrite: () => void;
  /** Of an input: its value, fault and what changes it. */
  input: (name: string) => { value: unknown; error: ReactNode; dataPath: string; onChange: (value: unknown) => void };
}

/** A form of a part of a section. The drawer stays open while the gateway refuses something of it. */
export function useSectionForm<Drafted extends Draft>(input: Input<Drafted>): SectionForm {
  const { section, deviceId, draft, values, broken, change, placeOf, onSaved, onClose } = input;
  const words = useWords();
  const known = useRef(draft);
  const sent = useRef(draft);
  const [changed, setChanged] = useState<Changed | null>(null);
  const form = useApiForm<Values, SavedSection<Drafted>>({
    values,
    validate: (given) =>
      Object.fromEntries(Object.entries(broken(given)).map(([name, fault]) => [name, words.broken(fault)])),
    names: (path, given) => placeOf(path, sent.current, given),
    save: async (given) => {
      sent.current = change(known.current, given);
      try {
        return await saveAndCheck(section, deviceId, sent.current);
      } catch (error) {
        setChanged(changedOf(error));
        throw error;
      }
    },
    onSaved: (saved, given) => {
      setChanged(null);
      known.current = saved.draft;
      onSaved(saved, given);
      const own = (saved.faults ?? []).flatMap(({ field, rule }): [string, string][] => {
        const place = placeOf(field, saved.draft, given);
        return place === null ? [] : [[place, ruleText(rule)]];
      });
      if (own.length === 0) return onClose();
      form.fields.resetDirty(given);
      form.fields.setErrors(Object.fromEntries(own));
    },
  });
  const overwrite = async (): Promise<void> => {
    known.current = await section.load(deviceId);
    setChanged(null);
    form.submit();
  };
  const now = form.fields.getValues();
  return {
    form: changed === null ? form : { ...form, failure: '' },
    changed,
    overwrite: () => void overwrite(),
    input: (name) => ({
      value: now[name],
      error: form.fields.errors[name],
      dataPath: String(Reflect.get(form.fields.getInputProps(name), 'data-path')),
      onChange: (value) => {
        form.fields.setFieldValue(name, value as never);
        form.fields.clearFieldError(name);
      },
    }),
  };
}
