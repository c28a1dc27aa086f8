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
