import { parseForeignJson } from '../../base/foreign-json.ts';

/** The first line of a helper: from then on the time of a question counts. */
export const READY = 'ready';

/** Answers the questions of the process that has started this one: a line of JSON each, in their order. */
export async function serveQuestions(
  answer: (question: unknown) => Promise<unknown> | unknown,
): Promise<void> {
  process.stdout.write(`${READY}\n`);
  let rest = '';
  for await (const text of process.stdin.setEncoding('utf8')) {
    rest += text;
    const lines = rest.split('\n');
    rest = lines.pop() as string;
    for (const line of lines) {
      const given = await answer(parseForeignJson(line));
      process.stdout.write(`${JSON.stringify(given ?? null)}\n`);
    }
  }
}
