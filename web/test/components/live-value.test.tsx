import { act, screen } from '@testing-library/react';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { expect, test } from 'vitest';
import { useLiveValue } from '@/blocks/live/useLiveValue';
import { bus } from '@/lib/live';
import type { LastValue } from '@/lib/quality';
import { serverNow } from '@/lib/serverClock';
import { show } from './render';

const POINT = { dsid: 5, period_ms: 1_000, record: 1, min: 0, max: 10 };
const GATEWAY = { id: 7, last_ms: 0, link: { online: true } };
const format = (value: unknown): string => (value === null ? '–' : `${String(value)} A`);
let drawn = 0;

function Cell({ initial, point = POINT }: { initial?: LastValue; point?: typeof POINT }): ReactElement {
  useEffect(() => {
    drawn += 1;
  });
  const { valueRef, ageRef, trust, limit } = useLiveValue({ point, initial, gateway: GATEWAY, format });
  return (
    <p data-testid="row" data-state={trust} data-limit={limit ?? ''}>
      <span ref={valueRef} data-testid="value" />
      <span ref={ageRef} data-testid="age" />
    </p>
  );
}

const seen = (): (string | null | undefined)[] => {
  const row = screen.getByTestId('row').dataset;
  return [screen.getByTestId('value').textContent, row.state, row.limit];
};
const push = (value: number, agoMs = 0): void =>
  act(() => {
    bus.put(5, { t_ms: serverNow() - agoMs, value, quality: 0 });
    bus.flush();
  });

test('nothing, what was known, what is pushed, and a broken limit', async () => {
  const { rerender } = await show(<Cell />);
  expect(seen()).toEqual(['–', 'none', '']);
  rerender(<p />);
  await show(<Cell initial={{ t_ms: serverNow(), value: 5, quality: 0 }} />);
  expect(seen()).toEqual(['5 A', 'good', '']);
  expect(screen.getByTestId('age').textContent).toBe('Just now');
  push(12);
  expect(seen()).toEqual(['12 A', 'good', 'high']);
  expect(screen.getByTestId('value').hasAttribute('data-fresh')).toBe(true);
});

test('a value that changes within its limits is painted without drawing', async () => {
  await show(<Cell initial={{ t_ms: serverNow() - 100, value: 1, quality: 0 }} />);
  const before = drawn;
  for (const value of [2, 3, 4, 5]) push(value);
  expect(seen()[0]).toBe('5 A');
  expect(drawn).toBe(before);
});

test('an answer does not take the place of what was pushed since, with the same time', async () => {
  const initial = { t_ms: serverNow() - 100, value: 1, quality: 0 };
  function Pair(): ReactElement {
    const [more, setMore] = useState(false);
    return (
      <>
        <Cell initial={initial} />
        <button type="button" onClick={() => setMore(true)} />
        {more ? <Cell initial={initial} /> : null}
      </>
    );
  }
  const { user } = await show(<Pair />);
  act(() => bus.flush());
  act(() => {
    bus.put(5, { ...initial, value: 9 });
    bus.flush();
  });
  await user.click(screen.getByRole('button'));
  expect(screen.getAllByTestId('value').map(({ textContent }) => textContent)).toEqual(['9 A', '9 A']);
});

test('a value of a gateway that fell silent is stale', async () => {
  await show(<Cell initial={{ t_ms: serverNow() - 600_000, value: 1, quality: 0 }} />);
  expect(seen()).toEqual(['1 A', 'stale', '']);
});
