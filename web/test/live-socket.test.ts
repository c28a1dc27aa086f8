import { beforeEach, expect, test } from 'vitest';
import { BACKOFF_MS, HEARTBEAT_MS, LiveSocket, REPLY_TIMEOUT_MS } from '@/lib/live/socket';
import type { LinkState, Wire } from '@/lib/live/socket';
import { CHUNK, Subscriptions } from '@/lib/live/subscriptions';
import { Clock } from './clock';

/** Time, wires and messages under the test's hand. */
class World extends Clock {
  wires: (Wire & { sent: Record<string, unknown>[]; closed: boolean })[] = [];
  states: LinkState[] = [];
  messages: unknown[] = [];
  resumed = 0;
  lostAt: number[] = [];
  token: string | null = 'token';
  readonly socket = new LiveSocket({
    open: () => this.#open(),
    token: () => Promise.resolve(this.token),
    now: () => this.now,
    random: () => 1,
    after: this.after,
    onMessage: (message) => this.messages.push(message),
    onState: (state) => this.states.push(state),
    onResume: (lostAtMs) => {
      this.resumed += 1;
      this.lostAt.push(lostAtMs);
    },
  });

  #open(): Wire {
    const wire = {
      sent: [] as Record<string, unknown>[],
      closed: false,
      send: (text: string) => void wire.sent.push(JSON.parse(text) as Record<string, unknown>),
      close: () => void (wire.closed = true),
      onopen: null,
      onmessage: null,
      onclose: null,
    } as World['wires'][number];
    this.wires.push(wire);
    return wire;
  }

  get wire(): World['wires'][number] {
    const last = this.wires.at(-1);
    if (last === undefined) throw new Error('no wire');
    return last;
  }

  get phase(): string | undefined {
    return this.states.at(-1)?.phase;
  }

  say(message: object): void {
    this.wire.onmessage?.({ data: JSON.stringify(message) });
  }

  async identify(): Promise<void> {
    this.wire.onopen?.();
    await Promise.resolve();
    await Promise.resolve();
    this.say({ type: 'identified' });
  }
}

let world: World;

beforeEach(() => {
  world = new World();
  world.socket.start();
});

test('identifies with the token and then tells its subscriptions', async () => {
  world.socket.subscriptions.add('dsids', 5);
  world.socket.subscriptions.add('devices', 1);
  await world.identify();
  expect(world.wire.sent).toEqual([
    { type: 'identify', token: 'token' },
    { type: 'subscribe', devices: [1], dsids: [5] },
  ]);
  expect(world.phase).toBe('live');
});

test('a heartbeat goes out every 60 s; without an answer within 5 s the connection counts as lost', async () => {
  await world.identify();
  world.pass(59_999);
  expect(world.wire.sent.at(-1)).not.toEqual({ type: 'heartbeat' });
  world.pass(1);
  expect(world.wire.sent.at(-1)).toEqual({ type: 'heartbeat' });
  world.say({ type: 'heartbeat', t_ms: 1 });
  world.pass(HEARTBEAT_MS - 1);
  expect(world.phase).toBe('live');
  world.pass(1 + REPLY_TIMEOUT_MS);
  expect(world.phase).toBe('lost');
  expect(world.wires[0]?.closed).toBe(true);
});

test('reconnects with a growing pause that starts anew after success', async () => {
  await world.identify();
  for (const wait of [...BACKOFF_MS, BACKOFF_MS[5]]) {
    const wires = world.wires.length;
    world.wire.onclose?.();
    world.pass(wait - 1);
    expect(world.wires).toHaveLength(wires);
    world.pass(1);
    expect(world.wires).toHaveLength(wires + 1);
  }
  await world.identify();
  world.wire.onclose?.();
  expect(world.states.at(-1)?.retryAtMs).toBe(world.now + BACKOFF_MS[0]);
});

test('after a loss everything is subscribed again and what was missed is asked for, once', async () => {
  world.socket.subscriptions.add('dsids', 5);
  await world.identify();
  expect(world.resumed).toBe(0);
  world.wire.onclose?.();
  world.pass(BACKOFF_MS[0]);
  await world.identify();
  expect(world.wire.sent.at(-1)).toEqual({ type: 'subscribe', devices: [], dsids: [5] });
  expect(world.resumed).toBe(1);
  expect(world.states.at(-1)?.lostAtMs).toBeNull();
});

test('the time of the loss stays the first one while reconnecting fails', async () => {
  await world.identify();
  world.pass(1000);
  const lost = world.now;
  world.wire.onclose?.();
  world.pass(BACKOFF_MS[0]);
  world.wire.onclose?.();
  expect(world.states.at(-1)?.lostAtMs).toBe(lost);
});

test('changed subscriptions are gathered into one message', async () => {
  await world.identify();
  for (const id of [1, 2, 3]) {
    world.socket.subscriptions.add('dsids', id);
    world.socket.touch();
  }
  world.socket.subscriptions.remove('dsids', 2);
  world.pass(100);
  expect(world.wire.sent.slice(1)).toEqual([{ type: 'subscribe', devices: [], dsids: [1, 3] }]);
});

test('a probe asks at once, and tells a dead connection within 5 s', async () => {
  await world.identify();
  world.socket.probe();
  expect(world.wire.sent.at(-1)).toEqual({ type: 'heartbeat' });
  world.pass(REPLY_TIMEOUT_MS);
  expect(world.phase).toBe('lost');
  world.socket.probe();
  expect(world.wires).toHaveLength(2);
});

test('a stopped socket stays silent', async () => {
  await world.identify();
  world.socket.stop();
  world.pass(10 * HEARTBEAT_MS);
  expect(world.wires).toHaveLength(1);
  expect(world.phase).toBe('stopped');
});

test('what is no message is ignored', async () => {
  await world.identify();
  for (const data of ['', '{', '[]', 'null', '{"a":1}']) world.wire.onmessage?.({ data });
  expect(world.messages).toEqual([{ type: 'identified' }]);
});

test('counted subscriptions go out in chunks', () => {
  const subscriptions = new Subscriptions();
  for (let id = 1; id <= CHUNK + 1; id++) subscriptions.add('dsids', id);
  subscriptions.add('dsids', 1);
  expect(subscriptions.changes().map((message) => message.dsids.length)).toEqual([CHUNK, 1]);
  subscriptions.remove('dsids', 1);
  expect(subscriptions.changes()).toEqual([]);
  subscriptions.remove('dsids', 1);
  expect(subscriptions.changes()).toEqual([{ type: 'unsubscribe', devices: [], dsids: [1] }]);
});

test('a refreshed token is told on the same connection, and nothing is told anew', async () => {
  world.socket.subscriptions.add('dsids', 5);
  await world.identify();
  const sent = world.wire.sent.length;
  world.token = 'newer';
  world.socket.renew();
  await Promise.resolve();
  await Promise.resolve();
  world.say({ type: 'identified' });
  expect(world.wire.sent.slice(sent)).toEqual([{ type: 'identify', token: 'newer' }]);
  world.pass(REPLY_TIMEOUT_MS);
  expect([world.phase, world.wires.length, world.resumed]).toEqual(['live', 1, 0]);
});

test('the gap that is to be filled begins when the connection was lost', async () => {
  await world.identify();
  world.pass(1_234);
  world.wire.onclose?.();
  const lostAt = world.now;
  world.pass(BACKOFF_MS[0]);
  world.wire.onclose?.();
  world.pass(BACKOFF_MS[1]);
  await world.identify();
  expect(world.lostAt).toEqual([lostAt]);
});
