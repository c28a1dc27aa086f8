import { create } from 'zustand';
import { observeServerTime, serverNow } from '../serverClock';
import { session } from '../session';
import { LiveBus } from './bus';
import { isCut, lastAnswerMs } from './contact';
import { Gathered } from './gathered';
import { noteHeard } from './heard';
import {
  Audience,
  isAlarmPush,
  isJobPush,
  isOnOffPush,
  isPlacePush,
  isTracePush,
  isTraceStatePush,
  isUnreadPush,
} from './pushes';
import type {
  AlarmPush,
  CommandPush,
  DeploymentPush,
  DevicePush,
  JobPush,
  OnOffPush,
  TraceEntry,
  TracePush,
  TraceStatePush,
  UnreadPush,
} from './pushes';
import { LiveSocket, REPLY_TIMEOUT_MS } from './socket';
import type { LinkState, Wire } from './socket';

export { heardMs, noteHeard } from './heard';
export type { AlarmPush, OnOffPush, TraceEntry, TracePush, TraceStatePush, UnreadPush };

/** State of the live connection, for the chip and the banner. */
export const useLink = create<LinkState>()(() => ({ phase: 'stopped', lostAtMs: null, retryAtMs: null }));

/** The connection is lost and polls are not answered either: what is shown is no longer told by anyone. */
export function isCutOff(): boolean {
  return isCut(useLink.getState().lostAtMs, lastAnswerMs(), Date.now());
}

const devices = new Audience<DevicePush>();
const commands = new Audience<CommandPush>();
const deployments = new Audience<DeploymentPush>();
const configurations = new Audience<number>();
const alarms = new Audience<AlarmPush>();
const onOffs = new Audience<OnOffPush>();
const unreads = new Audience<UnreadPush>();
const places = new Audience<number>();
const jobs = new Audience<JobPush>();
const traces = new Audience<TracePush>();
const traceStates = new Audience<TraceStatePush>();
const resumes = new Audience<number>();
let askToken: () => Promise<string | null> = () => Promise.resolve(null);

export const bus = new LiveBus(
  (flush) => requestAnimationFrame(flush),
  (dsid, watched) => {
    if (watched) socket.subscriptions.add('dsids', dsid);
    else socket.subscriptions.remove('dsids', dsid);
    socket.touch();
  },
);

const after = (ms: number, work: () => void): (() => void) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};

const socket = new LiveSocket({
  open: () => {
    const secure = location.protocol === 'https:';
    return new WebSocket(`${secure ? 'wss' : 'ws'}://${location.host}/api/v1/ws`) as unknown as Wire;
  },
  token: () => askToken(),
  now: Date.now,
  random: Math.random,
  after,
  onMessage: deliver,
  onState: (state) => useLink.setState(state),
  onResume: (lostAtMs) => resumes.tell(lostAtMs - Date.now() + serverNow()),
});

function deliver(message: Record<string, unknown> & { type: string }): void {
  if (message.type === 'dp' && Array.isArray(message.rows)) {
    if (typeof message.did === 'number') noteHeard(message.did, serverNow());
    for (const row of message.rows as [number, number, string | number | boolean | null, number][]) {
      bus.put(row[0], { t_ms: row[1], value: row[2], quality: row[3] });
    }
  } else if (message.type === 'device') {
    if (typeof message.did === 'number' && typeof message.last_ms === 'number') noteHeard(message.did, message.last_ms);
    devices.tell(message as unknown as DevicePush);
  } else if (message.type === 'cmd') {
    commands.tell(message as unknown as CommandPush);
  } else if (message.type === 'deploy') {
    deployments.tell(message as unknown as DeploymentPush);
  } else if (message.type === 'configuration' && typeof message.did === 'number') {
    configurations.tell(message.did);
  } else if (message.type === 'alarm' && isAlarmPush(message)) {
    alarms.tell(message);
  } else if (message.type === 'onoff' && isOnOffPush(message)) {
    onOffs.tell(message);
  } else if (message.type === 'unread' && isUnreadPush(message)) {
    unreads.tell(message);
  } else if (message.type === 'place' && isPlacePush(message)) {
    places.tell(message.did as number);
  } else if (message.type === 'job' && isJobPush(message)) {
    jobs.tell(message);
  } else if (message.type === 'strace' && isTracePush(message)) {
    traces.tell(message);
  } else if (message.type === 'strace_state' && isTraceStatePush(message)) {
    traceStates.tell(message);
  } else if (message.type === 'heartbeat' && typeof message.t_ms === 'number') {
    const now = Date.now();
    observeServerTime(message.t_ms, now, now, REPLY_TIMEOUT_MS);
  }
}

export const onDevice = devices.listen;
export const onCommand = commands.listen;
export const onDeployment = deployments.listen;
/** What a device runs, its draft or an edit made on it has changed. */
export const onConfiguration = configurations.listen;
export const onAlarm = alarms.listen;
export const onOnOff = onOffs.listen;
export const onUnread = unreads.listen;
/** A device's place was given, moved or taken away. */
export const onPlace = places.listen;
export const onJob = jobs.listen;
/** Signals and frames of a gateway that the user traces. */
export const onTrace = traces.listen;
export const onTraceState = traceStates.listen;
/** Called when the connection is back, with the cloud's time of its loss: fetch what may have been missed. */
export const onResume = resumes.listen;

/** Does nobody look at this page? */
export function isHidden(): boolean {
  return document.visibilityState === 'hidden';
}

/** Called when somebody looks at this page again. Returns the function that ends it. */
export function onVisible(listener: () => void): () => void {
  const own = (): void => {
    if (!isHidden()) listener();
  };
  document.addEventListener('visibilitychange', own);
  return () => document.removeEventListener('visibilitychange', own);
}

/** Work that many pushes ask for: done soon, seldom, and only while somebody looks. stop it in the end. */
export function gathered(work: () => void): { ask: () => void; stop: () => void } {
  const one = new Gathered(work, { now: Date.now, after, isHidden });
  const leave = onVisible(one.onVisible);
  return {
    ask: one.ask,
    stop: () => {
      leave();
      one.stop();
    },
  };
}

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
  const leaveTokens = session.subscribe(({ tokens }, before) => {
    if (tokens !== null && before.tokens !== null && tokens.token !== before.tokens.token) socket.renew();
  });
  return () => {
    leaveTokens();
    window.removeEventListener('online', wake);
    window.removeEventListener('offline', wake);
    document.removeEventListener('visibilitychange', wake);
    socket.stop();
  };
}

export function retryLive(): void {
  socket.retryNow();
}
