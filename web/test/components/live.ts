import { act } from '@testing-library/react';
import { onTestFinished, vi } from 'vitest';
import { startLive } from '@/lib/live';
import type { Wire } from '@/lib/live/socket';

/** The live connection of a component test, which the cloud has accepted. */
export interface Live {
  /** The cloud pushes a message. */
  push: (message: { type: string } & Record<string, unknown>) => void;
  /** The connection breaks. */
  lose: () => void;
}

/** Connect the page to a cloud that pushes what the test says, until the test ends. */
export async function connectLive(): Promise<Live> {
  const wires: Wire[] = [];
  class FakeSocket implements Wire {
    onopen: Wire['onopen'] = null;
    onmessage: Wire['onmessage'] = null;
    onclose: Wire['onclose'] = null;

    constructor() {
      wires.push(this);
    }

    send(): void {}
    close(): void {}
  }
  vi.stubGlobal('WebSocket', FakeSocket);
  const stop = startLive(() => Promise.resolve('token'));
  onTestFinished(() => act(stop));
  const newest = (): Wire | undefined => wires.at(-1);
  const push: Live['push'] = (message) => act(() => newest()?.onmessage?.({ data: JSON.stringify(message) }));
  await act(async () => {
    newest()?.onopen?.();
    await Promise.resolve();
  });
  push({ type: 'identified' });
  return { push, lose: () => act(() => newest()?.onclose?.()) };
}
