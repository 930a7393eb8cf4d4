import { describe, it } from 'vitest';
import { DOORS, expectSame, library, type Question } from '../doors/ask-doors.ts';
import { RECORDINGS } from '../doors/make-recordings.ts';
import { describeLive } from '../helpers/live.ts';

describeLive('the same question about a recording has one answer at every door', () => {
  describe.each(Object.entries(RECORDINGS))('%s', (_name, make) => {
    it('every door gives the functions, neighbours, lines, owners and threads of the library', async () => {
      const { file, func } = await make();
      const expected = await library(file, func);
      for (const [door, ask] of Object.entries(DOORS)) {
        const answers = await ask(file, func);
        for (const [question, rows] of Object.entries(answers)) {
          expectSame(door, question as Question, rows, expected[question as Question] ?? []);
        }
      }
    });
  });
});
