import { afterEach } from 'vitest';

// Every first try fails at its end, so that what counts is the second, in what the first has left.
afterEach(({ task }) => {
  if ((task.result?.retryCount ?? 0) === 0) throw new Error('the first try fails on purpose');
});
