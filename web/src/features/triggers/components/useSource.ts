import { useQuery } from '@tanstack/react-query';
import { pointsQuery } from '../api';
import type { DataSource } from '../api';
import type { ConditionDraft } from '../draft';

/** The point that a condition speaks of, once its gateway's are known. */
export function useSource({ device, subject }: ConditionDraft): DataSource | undefined {
  const { data } = useQuery(pointsQuery(Number(device?.value ?? 0)));
  return data?.find(({ dsid }) => dsid === Number(subject));
}
