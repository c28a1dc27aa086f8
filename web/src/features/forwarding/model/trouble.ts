/** Kinds of trouble that a reason of any target can be told as, the more certain first; words: 'forwarding:trouble.<kind>'. */
const KINDS = [
  ['name', /name or service not known|name resolution|no address associated|nodename nor servname/i],
  ['tls', /\b(tls|ssl|certificate)\b/i],
  ['storage', /no space|no room|read-only|permission denied|no such file|cannot be written|no medium/i],
  ['signIn', /\b(password|pw|sign-in|username|credentials|not authori[sz]ed)\b/i],
  [
    'reach',
    /connection (refused|reset)|closed the connection|broken pipe|unreachable|no route|timed? ?out|no (answer|response)|not respond|\beof\b/i,
  ],
  ['refused', /refus|reject|\b(wrong|invalid|unknown)\b/i],
] as const;

export type TroubleKind = (typeof KINDS)[number][0] | 'other';

/** What kind of trouble a reason tells that the kind of the target has no words for. */
export function troubleOf(reason: string): TroubleKind {
  return KINDS.find(([, pattern]) => pattern.test(reason))?.[0] ?? 'other';
}
