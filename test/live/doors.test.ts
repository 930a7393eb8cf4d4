import { describe, it } from 'vitest';
import {
  type Answers,
  askPage,
  DOORS,
  expectSame,
  library,
  type Question,
} from '../doors/ask-doors.ts';
import { followProgram, RECORDINGS } from '../doors/make-recordings.ts';
import { describeLive } from '../helpers/live.ts';

describeLive('the same question about a recording has one answer at every door', () => {
  describe.each(Object.entries(RECORDINGS))('%s', (_name, make) => {
    it('every door gives the functions, neighbours, lines, owners and threads of the library', async () => {
      const { file, func } = await make();
      const expected = await library(file, func);
      for (const [door, ask] of Object.entries(DOORS)) {
        expectAnswers(door, await ask(file, func), expected);
      }
    });
  });

  it('the live page of a program gives the answers of its recording', async () => {
    const { file, func, bytes } = await followProgram();
    expectAnswers('page', askPage(bytes, func), await library(file, func));
  });
});

function expectAnswers(door: string, got: Partial<Answers>, expected: Partial<Answers>): void {
  for (const [question, rows] of Object.entries(got)) {
    expectSame(door, question as Question, rows, expected[question as Question] ?? []);
  }
}
