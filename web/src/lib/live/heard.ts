/** When each gateway was heard last, by the cloud's clock: its word speaks for values that are not sent again. Bounded by the gateways. */
const heard = new Map<number, number>();

export function noteHeard(deviceId: number, ms: number): void {
  if (ms > heardMs(deviceId)) heard.set(deviceId, ms);
}

/** 0 for never. */
export function heardMs(deviceId: number): number {
  return heard.get(deviceId) ?? 0;
}
