import { describe, expect, test } from 'vitest';
import { draftFaults, isOverMidnight, NO_PLAN, planBody, planDraft } from '@/features/firmware/draft';
import type { PlanDraft } from '@/features/firmware/draft';
import { readHead } from '@/features/firmware/firmwareFile';
import { isPrivate, keyLine } from '@/features/firmware/publicKey';
import { countParts, loadedPercent, stateParts, waveFacts } from '@/features/firmware/steps';
import { begun, DRAFT, firmwareFile } from './components/firmware-fixtures';

const unknown = (id: number): string => `No. ${id}`;
const FULL: PlanDraft = {
  ...NO_PLAN,
  name: 12,
  range: 'device',
  device_ids: [{ value: '3', label: 'Pump' }],
  firmware_id: { value: '5', label: 'x' },
};

describe('a draft', () => {
  test('of a plan becomes the same plan again', () => {
    const rules = {
      growth: 2,
      max_wave: 50,
      success_share: 0.95,
      error_share: 0.07,
      on_error: 'rollback' as const,
      at_once: 5,
      watch_s: 0,
      offline_s: 3600,
      expires_s: 90_000,
      confirm_s: 45,
      window: { begin: '22:00', end: '04:30' },
      zone: 'Asia/Shanghai',
      approval: true,
      allow_older: true,
    };
    const at = new Date(2026, 2, 5, 13, 30).getTime(); // not midnight: by a program
    const body = planBody(planDraft({ ...DRAFT, rules, created_after_ms: at }, unknown));
    expect(body).toEqual({
      name: 12,
      title: 'north',
      enabled: true,
      range: 'device',
      project_ids: [],
      device_ids: [3, 4],
      created_after_ms: at,
      scope: 2,
      plan_control_count: 1,
      firmware_id: 5,
      upgrade_type: 2,
      rules,
    });
  });

  test('at scope 3 has no control count, whatever was typed', () => {
    const body = planBody({ ...FULL, scope: '3', plan_control_count: 7 });
    expect([body.scope, body.plan_control_count]).toEqual([3, null]);
    expect(draftFaults({ ...FULL, scope: '3', plan_control_count: '' })).toEqual({});
    expect(draftFaults({ ...FULL, scope: '1', plan_control_count: '' })).toEqual({ plan_control_count: 'needed' });
  });

  test('has only the list that its range is of', () => {
    const both = { ...FULL, project_ids: ['9'] };
    expect([planBody(both).project_ids, planBody(both).device_ids]).toEqual([[], [3]]);
    const { project_ids, device_ids } = planBody({ ...both, range: 'project' });
    expect([project_ids, device_ids]).toEqual([[9], []]);
  });

  test('takes a day from midnight of the browser', () => {
    const { created_after_ms } = planBody({ ...FULL, created_after_ms: '2026-03-05' });
    expect(created_after_ms).toBe(new Date(2026, 2, 5).getTime());
  });

  test('names gateways whose titles it does not know by their numbers', () => {
    const { targets: _, ...row } = DRAFT;
    expect(planDraft(row, unknown).device_ids.map(({ label }) => label)).toEqual(['No. 3', 'No. 4']);
    expect(planDraft(DRAFT, unknown).device_ids.map(({ label }) => label)).toEqual(['Pump', 'Mill']);
  });

  test.each<[string, Partial<PlanDraft>, Record<string, string>]>([
    ['nothing wrong', {}, {}],
    ['no name', { name: '' }, { name: 'needed' }],
    ['a broken name', { name: 1.5 }, { name: 'wholeNumber' }],
    ['name 0', { name: 0 }, { name: 'range' }],
    ['no gateway', { device_ids: [] }, { device_ids: 'needed' }],
    ['no project', { range: 'project' }, { project_ids: 'needed' }],
    ['no file', { firmware_id: null }, { firmware_id: 'needed' }],
    ['too few successes', { success_share: 49 }, { success_share: 'range' }],
    ['too many failures', { error_share: 51 }, { error_share: 'range' }],
    ['not watched', { watch_s: '' }, {}],
    ['a window', { has_window: true }, {}],
    ['a window of no length', { has_window: true, window_end: '01:00' }, { window_end: 'sameTimes' }],
    ['a window without its end', { has_window: true, window_end: '' }, { window_end: 'needed' }],
    ['an order shorter than a window', { has_window: true, expires_s: 3600 }, { expires_s: 'windowNeedsDay' }],
    ['a short order without a window', { expires_s: 3600 }, {}],
  ])('with %s', (_what, changes, faults) => {
    expect(draftFaults({ ...FULL, ...changes })).toEqual(faults);
  });

  test('a window may go over midnight', () => {
    expect(isOverMidnight({ window_begin: '22:00', window_end: '04:00' })).toBe(true);
    expect(isOverMidnight({ window_begin: '01:00', window_end: '05:00' })).toBe(false);
    expect(isOverMidnight({ window_begin: '01:00', window_end: '' })).toBe(false);
  });
});

describe('a wave', () => {
  const shares = { current: 1, state: 'running' as const, successShare: 0.9, errorShare: 0.2 };

  test('says what it needs and stands', () => {
    const [first, second, third] = begun('running').waves.map((wave) => waveFacts(wave, shares));
    expect([first?.place, second?.place, third?.place]).toEqual(['done', 'current', 'later']);
    expect([second?.needed, second?.allowed]).toEqual([5, 1]);
    expect(third?.needed).toBe(8);
  });

  test('of one gateway stands no failure', () => {
    expect(waveFacts({ number: 0, total: 1 }, shares).allowed).toBe(0);
  });

  test('counts neither who did not come nor who cannot take it', () => {
    const wave = { number: 1, total: 12, skipped: 2, missed: 3, excused: 1, succeeded: 6 };
    expect(waveFacts(wave, { ...shares, state: 'finished' })).toEqual({ place: 'done', needed: 6, allowed: 2 });
  });
});

test('a bar has the parts that there are, what went wrong last', () => {
  expect(countParts(begun('running').counts).map(({ name }) => name)).toEqual([
    'succeeded',
    'under_way',
    'waiting',
    'failed',
  ]);
  expect(stateParts(begun('running').steps).map(({ name }) => name)).toEqual([
    'succeeded',
    'trial',
    'downloading',
    'waiting',
    'failed',
  ]);
});

test('how much of a file is on a gateway', () => {
  expect(loadedPercent({ done: 0, size: 10 })).toBeNull();
  expect(loadedPercent({ done: 999, size: 1000 })).toBe(99);
  expect(loadedPercent({ done: 5, size: 0 })).toBeNull();
});

describe('a file', () => {
  test('says what it is', async () => {
    const { manifest, fault } = await readHead(firmwareFile());
    expect([fault, manifest?.name, manifest?.version_text, manifest?.key_id]).toEqual([
      null,
      'edge-agent',
      '2.0',
      'release',
    ]);
  });

  test.each([
    ['of another kind', new File(['#!/bin/sh\nrm -rf /'], 'a.bin'), 'format'],
    ['that is empty', new File([], 'a.bin'), 'format'],
    ['that ends in its head', new File(['EDGEFW1\n\0\0\0\x09{}'], 'a.bin'), 'format'],
    ['with a manifest that is none', firmwareFile({ models: 'gw-200' }), 'format'],
    ['that was cut', firmwareFile({}, 101), 'size'],
    ['of another ending', firmwareFile({}, 100, 'two.zip'), 'name'],
    ['with a path', firmwareFile({}, 100, 'a\\two.bin'), 'name'],
  ])('%s is refused before it is sent', async (_what, file, fault) => {
    expect((await readHead(file)).fault).toBe(fault);
  });
});

test('the line that the signing tool prints is taken apart; a private key is known as one', () => {
  const key = `${'Ab+/'.repeat(10)}Abc=`;
  expect(keyLine(` release-1 = "${key}"\n`)).toEqual({ key_id: 'release-1', public_key: key });
  expect(keyLine(key)).toBeNull();
  expect(keyLine('x = "short="')).toBeNull();
  expect(isPrivate('-----BEGIN PRIVATE KEY-----')).toBe(true);
  expect(isPrivate(key)).toBe(false);
});
