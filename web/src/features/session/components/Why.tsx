import { Loader } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { why } from '@/api/generated/sdk.gen';
import type { WhyAnswer } from '@/api/generated/types.gen';
import { call } from '@/api/http';
import { errorText } from '@/components/notices';
import { whyWords } from '@/blocks/access/whyWords';
import { useScreenLink } from '@/lib/navigation';
import { codesOf } from '@/lib/screens';
import type { Screen } from '@/lib/screens';
import classes from '../session.module.css';

/** Ask about each permission of a screen: of several it needs all, and the cloud explains any. */
async function explain(screen: Screen, signal: AbortSignal): Promise<WhyAnswer> {
  const of = { path: screen.path, types: (screen.userTypes ?? []).join(''), flag: screen.cloudFlag ?? ('' as const) };
  const codes = codesOf(screen);
  const answers = await Promise.all(
    (codes.length === 0 ? [''] : codes).map((permission) => call(why({ query: { ...of, permission }, signal }))),
  );
  const refused = answers.filter(({ allowed }) => !allowed);
  return {
    allowed: refused.length === 0,
    reasons: (refused.length === 0 ? answers : refused).flatMap(({ reasons }) => reasons),
  };
}

/** Why the signed-in user may not see a screen, in words. */
export function Why({ screen }: { screen: Screen }): ReactElement {
  const { t } = useTranslation();
  const again = useScreenLink(screen.path);
  const [data, setData] = useState<WhyAnswer | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const stop = new AbortController();
    explain(screen, stop.signal).then(setData, (reason: unknown) => {
      if (!stop.signal.aborted) setError(reason);
    });
    return () => stop.abort();
  }, [screen]);
  if (error !== null) return <p role="alert">{errorText(error)}</p>;
  if (data === null) return <Loader size="sm" />;
  if (data.allowed) {
    return (
      <p>
        {t('session:noPermission.allowed')} <a {...again}>{t('session:noPermission.open')}</a>
      </p>
    );
  }
  const words = [...new Set(data.reasons.map(whyWords))];
  return (
    <ul className={classes.reasons} data-testid="why-reasons">
      {words.map((text) => (
        <li key={text}>{text}</li>
      ))}
      {words.length === 0 ? <li>{t('session:noPermission.unknown')}</li> : null}
    </ul>
  );
}
