import { act, cleanup, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type {
  ListTracesData,
  ListTracesResponse,
  RenewTraceData,
  RenewTraceResponse,
  StartTraceData,
  StartTraceResponse,
  StopTraceData,
  StopTraceResponse,
} from '@/api/generated/types.gen';
import type { Gateway } from '@/features/signal-trace/api';
import { TraceView } from '@/features/signal-trace/components/TraceView';
import { connectLive } from './live';
import type { Live } from './live';
import { answer, refuse } from './network';
import type { Call } from './network';
import { show } from './render';

const START = '/api/v1/ota/strace/{device_id}';
const ONE = '/api/v1/ota/strace/{device_id}/{trace_id}';
const ROW = {
  trace: 't1',
  device_id: 7,
  device_title: 'Pump',
  gateway_id: 'gw-7',
  user: 'tester',
  address: '10.1.1.1',
  started_ms: 1,
  ended_ms: 2,
  why: 'done',
  entries: 1,
};
const GATEWAY = {
  id: 7,
  device_title: 'Pump',
  link: { online: true, since_ms: 1, reason: 'ok' },
  access: { role: 'owner', writes: true },
} as unknown as Gateway;

let stops: Call[];

beforeEach(() => {
  answer<StartTraceData, StartTraceResponse>('post', START, {
    trace: 't1',
    state: 'waiting',
    renew_s: 20,
    expires_s: 90,
  });
  answer<RenewTraceData, RenewTraceResponse>('put', ONE, { trace: 't1', state: 'running', renew_s: 20, expires_s: 90 });
  answer<ListTracesData, ListTracesResponse>('get', '/api/v1/ota/strace', { rows: [ROW], total: 1 });
  stops = answer<StopTraceData, StopTraceResponse>('delete', ONE, ROW);
  // jsdom has no layout: the frame of the list has a height here
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(400);
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(800);
});

afterEach(async () => {
  const before = stops.length;
  const isRunning = screen.queryByTestId('strace-stop') !== null;
  cleanup();
  if (isRunning) await waitFor(() => expect(stops).toHaveLength(before + 1));
  vi.restoreAllMocks();
});

const view = (gateway: Gateway = GATEWAY) =>
  show(<TraceView gateway={gateway} />, { permissions: ['OtaManager', 'ota.Strace'], at: '/ota/strace?gateway=7' });

function entries(first: number, count: number, upto = first + count - 1): Parameters<Live['push']>[0] {
  const made = Array.from({ length: count }, (_, n) => ({
    seq: first + n,
    t_ms: 1_790_000_000_000 + n,
    kind: 'frame',
    source: 'line',
    device: n % 2 === 0 ? 'boiler' : 'pump',
    direction: 'sent',
    data: '0103',
    size: 2,
    fields: { name: 'read coils' },
  }));
  return { type: 'strace', did: 7, since_ms: 5, upto, entries: made };
}

async function started(): Promise<{ live: Live; shown: Awaited<ReturnType<typeof view>> }> {
  const live = await connectLive();
  const shown = await view();
  await shown.user.click(screen.getByTestId('strace-start'));
  await screen.findByTestId('strace-stop');
  return { live, shown };
}

test('lines appear as they are pushed, and what is missing is counted', async () => {
  const { live, shown } = await started();
  live.push(entries(1, 2));
  live.push(entries(5, 1, 6));
  await waitFor(() => expect(screen.getAllByTestId('strace-line')).toHaveLength(3));
  expect(screen.getByTestId('strace-missing').textContent).toContain('3');
  live.push({ ...entries(1, 9), did: 8 });
  live.push({ type: 'strace_state', did: 7, trace: 't1', state: 'running', why: '' });
  await waitFor(() => expect(screen.getByTestId('strace').dataset.phase).toBe('running'));
  expect(screen.getAllByTestId('strace-line')).toHaveLength(3);
  await shown.user.click(screen.getAllByTestId('strace-line')[0] as HTMLElement);
  expect(screen.getByTestId('strace-dump').textContent).toContain('01 03');
  expect(screen.getByTestId('strace-fields').textContent).toContain('read coils');
});

test('the address names the source that is looked at, before anything of it has come', async () => {
  const live = await connectLive();
  const shown = await show(<TraceView gateway={GATEWAY} />, {
    permissions: ['OtaManager', 'ota.Strace'],
    at: '/ota/strace?gateway=7&source=bureau',
  });
  expect(screen.getByTestId('strace-source')).toHaveProperty('value', 'bureau');
  await shown.user.click(screen.getByTestId('strace-start'));
  await screen.findByTestId('strace-stop');
  const packet = { seq: 3, t_ms: 1, kind: 'packet', source: 'bureau', device: '', direction: 'sent', text: '##0101' };
  live.push(entries(1, 2));
  live.push({ type: 'strace', did: 7, since_ms: 5, upto: 3, entries: [packet] });
  await waitFor(() => expect(screen.getAllByTestId('strace-line')).toHaveLength(1));
  expect(screen.getByTestId('strace-line').textContent).toContain('##0101');
  expect(screen.getByTestId('strace-source')).toHaveProperty('value', 'bureau');
});

test('a pause holds the list and loses nothing', async () => {
  const { live, shown } = await started();
  live.push(entries(1, 1));
  await screen.findByTestId('strace-line');
  await shown.user.click(screen.getByTestId('strace-pause'));
  live.push(entries(2, 3));
  await waitFor(() => expect(screen.getByTestId('strace-behind').textContent).toContain('3'));
  expect(screen.getAllByTestId('strace-line')).toHaveLength(1);
  await shown.user.click(screen.getByTestId('strace-pause'));
  expect(screen.getAllByTestId('strace-line')).toHaveLength(4);
});

test('who leaves the page ends the trace', async () => {
  const { shown } = await started();
  shown.unmount();
  await waitFor(() => expect(stops).toHaveLength(1));
});

test.each([
  ['expired', 'renew it in time'],
  ['access', 'access to this gateway was removed'],
])('a trace that ended by %s says so, and its lines stay', async (why, words) => {
  const { live } = await started();
  live.push(entries(1, 1));
  await screen.findByTestId('strace-line');
  live.push({ type: 'strace_state', did: 7, trace: 't1', state: 'running', why });
  await waitFor(() => expect(screen.getByTestId('strace-state').textContent).toContain(words));
  expect(screen.getByTestId('strace-start')).toBeTruthy();
  expect(screen.getAllByTestId('strace-line')).toHaveLength(1);
});

test('what cannot begin says why', async () => {
  refuse<StartTraceData>('post', START, {
    status: 409,
    code: 20_000,
    msg: 'the agent cannot be traced',
    data: { reason: 'trace.not_supported' },
  });
  await connectLive();
  const shown = await view();
  await shown.user.click(screen.getByTestId('strace-start'));
  expect((await screen.findByTestId('strace-error')).textContent).toContain('too old');
});

test('a gateway that is offline cannot be traced', async () => {
  await view({ ...GATEWAY, link: { ...GATEWAY.link, online: false } });
  expect(screen.getByTestId('strace-offline').textContent).toContain('offline');
  expect(screen.getByTestId<HTMLButtonElement>('strace-start').disabled).toBe(true);
});

test('a trace that the cloud knows no more is over', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  try {
    refuse<RenewTraceData>('put', ONE, { status: 404, code: 20_000, msg: 'trace not found' });
    await started();
    await act(() => vi.advanceTimersByTimeAsync(21_000));
    await waitFor(() => expect(screen.getByTestId('strace-state').textContent).toContain('no longer exists'));
    expect(screen.getByTestId('strace-start')).toBeTruthy();
  } finally {
    vi.useRealTimers();
  }
});

test('a trace is renewed while the page is looked at', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  try {
    const renewed = answer<RenewTraceData, RenewTraceResponse>('put', ONE, {
      trace: 't1',
      state: 'offline',
      renew_s: 20,
      expires_s: 90,
    });
    await started();
    await act(() => vi.advanceTimersByTimeAsync(21_000));
    await waitFor(() => expect(renewed).toHaveLength(1));
    await waitFor(() => expect(screen.getByTestId('strace').dataset.phase).toBe('offline'));
  } finally {
    vi.useRealTimers();
  }
});
