import type { ReactElement } from 'react';
import { LanguageSwitch } from '@/components/LanguageSwitch';
import { SchemeSwitch } from '@/components/SchemeSwitch';

/** Colours and language of the sign-in page. Loaded beside it: menus that drop down are a tenth of what it would load. */
export default function Switches(): ReactElement {
  return (
    <>
      <SchemeSwitch />
      <LanguageSwitch />
    </>
  );
}
