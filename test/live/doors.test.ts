import { describe, expect, it } from 'vitest';
import {
  type Answers,
  askPage,
  DOORS,
  expectSame,
  library,
  type Question,
} from '../doors/ask-doors.ts';
import { followProgram, forkedNodes, RECORDINGS, watchProgram } from '../doors/make-recordings.ts';
import { describeLive } from '../helpers/live.ts';

describeLive('the same question about a recording has one answer at every door', () => {
  describe.each(Object.entries(RECORDINGS))('%s', (_name, make) => {
    it('every door gives what it has of the answers of the library', async () => {
      const { file, func } = await make();
      const expected = await library(file, func);
      for (const [door, ask] of Object.entries(DOORS)) {
        expectAnswers(door, await ask(file, func), expected);
      }
    });
  });

  it('the live table of three forked Nodes has the functions of their recording, each once', async () => {
    const { file, func } = forkedNodes();
    const { top = [] } = await library(file, func);
    const names = new Set(top.map(({ name }) => name));
    const rows = watchProgram('fork.cjs');
    const isHeavy = ({ selfShare }: (typeof rows)[number]) => selfShare > 0.05;
    const heavy = rows.filter(isHeavy).map(({ symbol }) => symbol);
    expect(heavy.filter((name) => !names.has(name))).toEqual([]);
    expect(new Set(heavy).size).toBe(heavy.length);
    expect(heavy).toContain('hash test/doors/programs/busy.cjs:3');
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
