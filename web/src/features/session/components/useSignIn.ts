import { useState } from 'react';
import { useGo } from '@/lib/navigation';
import { signInTarget } from '../signInTarget';

interface SignIn {
  busy: boolean;
  failure: unknown;
  /** How many failed here, one after the other. */
  failures: number;
  /** Run a sign-in and go on; its failure is kept for the form. */
  run: (signIn: () => Promise<void>) => Promise<void>;
}

export function useSignIn(): SignIn {
  const go = useGo();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [failures, setFailures] = useState(0);
  const run = async (signIn: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      await signIn();
      const [path = '/', query = ''] = signInTarget(window.location.search).split('?');
      go(path, Object.fromEntries(new URLSearchParams(query)), { replace: true });
    } catch (error) {
      setFailure(error);
      setFailures((before) => before + 1);
      setBusy(false);
    }
  };
  return { busy, failure, failures, run };
}
