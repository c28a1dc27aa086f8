import { queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type { RetentionDays, OfPoint, RetentionEffect, Retentions } from '@/api/generated/types.gen';
import { call } from '@/api/http';

export type { RetentionDays, OfPoint, RetentionEffect, Retentions };

/** What is kept for how many days, the finest first. */
export const RETENTION_FIELDS = ['raw_days', 'minute_days', 'quarter_days', 'hour_days', 'day_days'] as const;
export type RetentionField = (typeof RETENTION_FIELDS)[number];
/** Of one field, by the cloud's rule; 0 is for ever. */
export const MAX_DAYS = 36_500;
export const FOR_EVER: RetentionDays = { raw_days: 0, minute_days: 0, quarter_days: 0, hour_days: 0, day_days: 0 };

export const RETENTION = ['retention'];

/** Of the platform and of users that have their own. */
export const retentionQuery = queryOptions({
  queryKey: [...RETENTION, 'all'],
  queryFn: ({ signal }): Promise<Retentions> => call(sdk.getRetention({ signal })),
});

export function pointRetentionQuery(dsid: number) {
  return queryOptions({
    queryKey: [...RETENTION, 'point', dsid],
    queryFn: ({ signal }): Promise<OfPoint> => call(sdk.getPointRetention({ query: { dsid }, signal })),
  });
}

/** Where days are set: the platform (null), a user, or a point. */
export type Place = { user: number | null } | { dsid: number };

/** What a change would delete; kept null: what is set there is taken back. */
export function loadEffect(place: Place, retention: RetentionDays | null): Promise<RetentionEffect> {
  if ('dsid' in place) return call(sdk.getPointRetentionEffect({ query: { dsid: place.dsid, ...retention } }));
  return call(sdk.getRetentionEffect({ query: { user_id: place.user ?? undefined, ...retention } }));
}

export async function saveRetention(place: Place, retention: RetentionDays | null): Promise<void> {
  if ('dsid' in place) await call(sdk.putPointRetention({ body: { dsid: place.dsid, kept: retention } }));
  else await call(sdk.putRetention({ body: { user_id: place.user, kept: retention } }));
}

/** The first field that is no number of days, or is shorter than a finer one, for which it stands. */
export function wrongField(
  retention: Readonly<Record<RetentionField, unknown>>,
): { field: RetentionField; fault: 'range' | 'order' } | null {
  let longest = 1;
  for (const field of RETENTION_FIELDS) {
    const days = retention[field];
    if (typeof days !== 'number' || !Number.isInteger(days) || days < 0 || days > MAX_DAYS)
      return { field, fault: 'range' };
    const limit = days === 0 ? Infinity : days;
    if (limit < longest) return { field, fault: 'order' };
    longest = limit;
  }
  return null;
}
