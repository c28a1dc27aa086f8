import type { DeploymentStatus, Version } from './api';

/** What became of a version. unknown: deployed without a result, or before what is listed. */
export type Past = 'ran' | 'refused' | 'reverted' | 'never' | 'unknown';

interface Known {
  /** The version that was taken for the right one last. */
  accepted: string | null;
  running: string | undefined;
  deployments: readonly DeploymentStatus[];
  /** Are these all deployments of the gateway? */
  isAll: boolean;
}

/** What came from the gateway ran there; what was made here ran if a deployment of it held. */
export function pastOf(
  { hash, origin }: Pick<Version, 'hash' | 'origin'>,
  { accepted, running, deployments, isAll }: Known,
): Past {
  if (origin !== 'cloud' || hash === accepted || hash === running) return 'ran';
  const ends = new Set(
    deployments
      .filter((each) => each.hash === hash && (!each.check_only || each.state === 'refused'))
      .map(({ state }) => state),
  );
  if (ends.has('confirmed') || ends.has('unchanged')) return 'ran';
  if (ends.has('reverted')) return 'reverted';
  if (ends.has('refused')) return 'refused';
  return isAll && ends.size === 0 ? 'never' : 'unknown';
}
