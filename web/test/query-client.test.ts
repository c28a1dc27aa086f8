import { QueryObserver } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { askAgainWhenBack, queryClient } from '@/app/queryClient';
import { useLink } from '@/lib/live';

const PATIENCE = { timeout: 10_000 };

test('what failed while the cloud was away is asked again once it is back, and nothing else', async () => {
  const stop = askAgainWhenBack();
  const failing = vi.fn<() => Promise<string>>().mockRejectedValue(new Error('away'));
  const fine = vi.fn<() => Promise<string>>().mockResolvedValue('here');
  const watched = [failing, fine].map((queryFn, at) =>
    new QueryObserver(queryClient, { queryKey: [at], queryFn, retry: false }).subscribe(() => {}),
  );
  await vi.waitFor(
    () =>
      expect([queryClient.getQueryState([0])?.status, queryClient.getQueryState([1])?.status]).toEqual([
        'error',
        'success',
      ]),
    PATIENCE,
  );
  useLink.setState({ phase: 'lost', lostAtMs: 1 });
  expect(failing).toHaveBeenCalledTimes(1);
  failing.mockResolvedValue('back');
  useLink.setState({ phase: 'live', lostAtMs: null });
  await vi.waitFor(() => expect(queryClient.getQueryData([0])).toBe('back'), PATIENCE);
  expect(failing).toHaveBeenCalledTimes(2);
  expect(fine).toHaveBeenCalledTimes(1);
  watched.forEach((end) => end());
  stop();
});

test('a change during the first reading is read, once for all changes', async () => {
  const answers: ((value: string) => void)[] = [];
  const read = vi.fn<() => Promise<string>>(() => new Promise((answer) => answers.push(answer)));
  const end = new QueryObserver(queryClient, { queryKey: ['first'], queryFn: read }).subscribe(() => {});
  const told = [1, 2, 3].map(() => queryClient.invalidateQueries({ queryKey: ['first'] }));
  expect(read).toHaveBeenCalledTimes(1);
  answers[0]?.('before the change');
  await vi.waitFor(() => expect(read).toHaveBeenCalledTimes(2), PATIENCE);
  expect(queryClient.getQueryData(['first'])).toBe('before the change');
  answers[1]?.('after it');
  await Promise.all(told);
  expect(queryClient.getQueryData(['first'])).toBe('after it');
  expect(read).toHaveBeenCalledTimes(2);
  const again = queryClient.invalidateQueries({ queryKey: ['first'] });
  await vi.waitFor(() => expect(read).toHaveBeenCalledTimes(3), PATIENCE);
  answers[2]?.('later');
  await again;
  expect(read).toHaveBeenCalledTimes(3);
  end();
});
