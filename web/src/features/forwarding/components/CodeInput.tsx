import { Autocomplete } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import type { Code } from '../model/form';
import { matchesSearch } from '../model/suggest';
import { useWords } from '../useWords';
import classes from '../forwarding.module.css';

interface Props {
  label: string;
  description?: string;
  error: ReactNode;
  withAsterisk: boolean;
  value: string;
  onChange: (code: string) => void;
  codes: readonly Code[];
}

const SHOWN = 50;

/** A code of the kind's list, looked for by code or name; any other may be typed. */
export function CodeInput({ value, onChange, codes, description, ...rest }: Props): ReactElement {
  const words = useWords();
  const byCode = new Map(codes.map((code) => [code.code, code]));
  const known = byCode.get(value);
  return (
    <Autocomplete
      {...rest}
      description={known === undefined ? description : words(known)}
      data={codes.map(({ code }) => code)}
      value={value}
      onChange={onChange}
      limit={SHOWN}
      filter={({ search, limit }) => {
        // A code that is chosen already is no search.
        const fitting = byCode.has(search) ? codes : codes.filter((code) => matchesSearch(code, search));
        return fitting.slice(0, limit).map(({ code }) => ({ value: code, label: code }));
      }}
      renderOption={({ option }) => {
        const code = byCode.get(option.value);
        return (
          <span>
            {code === undefined ? option.value : words(code)}
            <span className={classes.sub}>{[option.value, ...(code?.units ?? [])].filter(Boolean).join(' · ')}</span>
          </span>
        );
      }}
    />
  );
}
