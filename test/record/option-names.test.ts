import { expect, test } from 'vitest';
import { startStat } from '../../src/counting/stat/stat.ts';
import { live } from '../../src/record/live.ts';
import { startRecording } from '../../src/record/recorder.ts';
import { profileSelf } from '../../src/tools/self/profile-self.ts';
import { startTop } from '../../src/tools/top/top.ts';

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

test('nothing in place of options is refused by each function', async () => {
  const nothing = undefined as unknown as Parameters<typeof startRecording>[0];
  const refusal = { name: 'UsageError', message: expect.stringContaining('as an object') };
  await expect(startRecording(nothing)).rejects.toMatchObject(refusal);
  await expect(live(nothing).next()).rejects.toMatchObject(refusal);
  await expect(profileSelf(nothing as never)).rejects.toMatchObject(refusal);
  expect(() => startTop(nothing)).toThrow(expect.objectContaining(refusal));
  expect(() => startStat(nothing as never)).toThrow(expect.objectContaining(refusal));
});

test('live takes its own option and no unknown one', async () => {
  const options = { command, latencyMs: 5, latency: 5 };
  await expect(live(options).next()).rejects.toMatchObject({
    message: '"latency" is no option of live',
    hints: ['did you mean latencyMs?'],
  });
});
