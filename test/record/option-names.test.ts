import { expect, test } from 'vitest';
import { live } from '../../src/record/live.ts';
import { startRecording } from '../../src/record/recorder.ts';

const command = ['true'];

/** Options that JavaScript may pass, though the types refuse it. */
function untyped(options: object): Parameters<typeof startRecording>[0] {
  return { command, ...options };
}

test.each([
  ['frequency', ['did you mean freq?']],
  ['evnts', ['did you mean events?']],
  ['zzzzzz', []],
])('%s is refused before anything is recorded', async (name, hints) => {
  const message = `"${name}" is no option of a recording`;
  const asked = startRecording(untyped({ [name]: 1 }));
  await expect(asked).rejects.toMatchObject({ name: 'UsageError', message, hints });
});

test('live takes its own option and no unknown one', async () => {
  const options = { command, latencyMs: 5, latency: 5 };
  await expect(live(options).next()).rejects.toMatchObject({
    message: '"latency" is no option of live',
    hints: ['did you mean latencyMs?'],
  });
});
