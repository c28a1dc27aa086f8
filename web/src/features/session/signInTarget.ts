import { isInside } from '@/lib/navigation';

/** Where to go after sign-in: where the user was going, if that lies inside this portal; else the landing page. */
export function signInTarget(search: string): string {
  const wanted = new URLSearchParams(search).get('redirect');
  return isInside(wanted) && !wanted.startsWith('/login') ? wanted : '/';
}
