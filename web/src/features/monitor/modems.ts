import { create } from 'zustand';

interface Modems {
  /** Gateways that said that they have no modem, since this page was opened. */
  without: ReadonlySet<number>;
  none: (deviceId: number) => void;
}

/** Nothing but its answer tells whether a gateway has a modem: who has none is not asked again. */
export const useModems = create<Modems>()((set) => ({
  without: new Set(),
  none: (deviceId) => set(({ without }) => ({ without: new Set(without).add(deviceId) })),
}));
