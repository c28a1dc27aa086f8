import { useEffect, useState } from 'react';
import { getUserInfo, signOut } from '@/api/account';
import { ApiError } from '@/api/errors';
import { handedOver } from '@/lib/handedOver';
import type { Credential } from '@/lib/handedOver';
import { session } from '@/lib/session';

/** A sign-in by address that would replace the user who is signed in. */
export interface Change {
  from: string;
  credential: Credential;
}

interface HandedOver {
  /** Waits for an answer; null while there is nothing to ask. */
  change: Change | null;
  /** End the session of the one, sign in the other. */
  accept: (change: Change) => Promise<void>;
  /** Stay who one is. */
  refuse: () => void;
}

interface Ways {
  signIn: (credential: Credential) => Promise<void>;
  /** Go on with the session that is there. */
  goOn: () => Promise<void>;
}

/** Use the credential of the address. Nobody is made somebody else by a link that he follows: he is asked first. */
export function useHandedOver({ signIn, goOn }: Ways): HandedOver {
  const [change, setChange] = useState<Change | null>(null);

  useEffect(() => {
    const credential = handedOver();
    if (credential === null) return;
    void signedIn().then((from) => {
      if (from === null) return signIn(credential);
      if (from === credential.username.trim()) return goOn();
      setChange({ from, credential });
      return undefined;
    });
    // A credential is there once, at the start.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);

  const accept = async ({ credential }: Change): Promise<void> => {
    setChange(null);
    await signOut();
    await signIn(credential);
  };
  return { change, accept, refuse: () => void goOn() };
}

/** Name of the user whose session this browser has; null for none that still counts. */
async function signedIn(): Promise<string | null> {
  if (session.getState().tokens === null) return null;
  try {
    return (await getUserInfo()).name;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
