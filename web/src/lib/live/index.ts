import { create } from 'zustand';
import { observeServerTime } from '../serverClock';
import { LiveBus } from './bus';
import { isCut, lastAnswerMs } from './contact';
import { LiveSocket } from './socket';
import type { LinkState, Wire } from './socket';

type DevicePush = Record<string, unknown> & { did: number };
type CommandPush = Record<string, unknown> & { id: string | number; status: string };
type DeploymentPush = Record<string, unknown> & { did: number; id: string; state: string };

/** State of the live connection, for the chip and the banner. */
export const useLink = create<LinkState>()(() => ({ phase: 'stopped', lostAtMs: null, retryAtMs: null }));

/** The connection is lost and polls are not answered either: what is shown is no longer told by anyone. */
export function isCutOff(): boolean {
  return isCut(useLink.getState().lostAtMs, lastAnswerMs(), Date.now());
}

const deviceListeners = new Set<(row: DevicePush) => void>();
const commandListeners = new Set<(row: CommandPush) => void>();
const deploymentListeners = new Set<(row: DeploymentPush) => void>();
const configurationListeners = new Set<(did: number) => void>();
const resumeListeners = new Set<() => void>();
let askToken: () => Promise<string | null> = () => Promise.resolve(null);

export const bus = new LiveBus(
  (flush) => requestAnimationFrame(flush),
  (dsid, watched) => {
    if (watched) socket.subscriptions.add('dsids', dsid);
    else socket.subscriptions.remove('dsids', dsid);
    socket.touch();
  },
);

const socket = new LiveSocket({
  open: () => {
    const secure = location.protocol === 'https:';
    return new WebSocket(`${secure ? 'wss' : 'ws'}://${location.host}/api/v1/ws`) as unknown as Wire;
  },
  token: () => askToken(),
  now: Date.now,
  random: Math.random,
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
  onMessage: deliver,
  onState: (state) => useLink.setState(state),
  onResume: () => {
    for (const listener of resumeListeners) listener();
  },
});

function deliver(message: Record<string, unknown> & { type: string }): void {
  if (message.type === 'dp' && Array.isArray(message.rows)) {
    for (const row of message.rows as [number, number, string | number | boolean | null, number][]) {
      bus.put(row[0], { t_ms: row[1], value: row[2], quality: row[3] });
    }
  } else if (message.type === 'device') {
    for (const listener of deviceListeners) listener(message as unknown as DevicePush);
  } else if (message.type === 'cmd') {
    for (const listener of commandListeners) listener(message as unknown as CommandPush);
  } else if (message.type === 'deploy') {
    for (const listener of deploymentListeners) listener(message as unknown as DeploymentPush);
  } else if (message.type === 'configuration' && typeof message.did === 'number') {
    for (const listener of configurationListeners) listener(message.did);
  } else if (message.type === 'heartbeat' && typeof message.t_ms === 'number') {
    observeServerTime(message.t_ms);
  }
}

function listen<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const onDevice = (listener: (row: DevicePush) => void): (() => void) => listen(deviceListeners, listener);
export const onCommand = (listener: (row: CommandPush) => void): (() => void) => listen(commandListeners, listener);
export const onDeployment = (listener: (row: DeploymentPush) => void): (() => void) => listen(deploymentListeners, listener);
/** What a device runs, its draft or an edit made on it has changed. */
export const onConfiguration = (listener: (did: number) => void): (() => void) => listen(configurationListeners, listener);
/** Called when the connection is back: refetch what may have been missed. */
export const onResume = (listener: () => void): (() => void) => listen(resumeListeners, listener);

/** Watch a device's status and commands. Returns the function that ends it. */
export function watchDevice(id: number): () => void {
  socket.subscriptions.add('devices', id);
  socket.touch();
  return () => {
    socket.subscriptions.remove('devices', id);
    socket.touch();
  };
}

/** Connect while there is a session. token: gives one that is still good for a while. Returns the stop function. */
export function startLive(token: () => Promise<string | null>): () => void {
  askToken = token;
  socket.start();
  const wake = (): void => {
    if (document.visibilityState === 'visible') socket.probe();
  };
  window.addEventListener('online', wake);
  window.addEventListener('offline', wake);
  document.addEventListener('visibilitychange', wake);
  return () => {
    window.removeEventListener('online', wake);
    window.removeEventListener('offline', wake);
    document.removeEventListener('visibilitychange', wake);
    socket.stop();
  };
}

export function retryLive(): void {
  socket.retryNow();
}
