import type { PageAssembly } from '../../../src/code/disassembly/types.ts';
import type { PageFile } from '../../../src/formats/export/page-profile.ts';

/** What the server has of the code of a recording: each asked for once; a sentence where there is none. */
export type CodeTexts = {
  /** Text of the source file in a row of the profile's strings. */
  source(string: number): Promise<string | Error>;
  /** Code of the function in a row of the profile's functions. */
  assembly(func: number): Promise<PageAssembly | Error>;
};

export function createCodeTexts({ links }: PageFile): CodeTexts {
  const sources = new Map<number, Promise<string | Error>>();
  const assemblies = new Map<number, Promise<PageAssembly | Error>>();
  return {
    source: (string) =>
      once(sources, string, () =>
        links.source === undefined
          ? Promise.resolve(
              new Error('A page that is a file has no sources inside; `perf-ts view` shows them.'),
            )
          : get(links.source, 'name', string),
      ),
    assembly: (func) =>
      once(assemblies, func, async () => {
        if (links.assembly === undefined) {
          return new Error(
            'A page that is a file has no machine code inside; `perf-ts view` shows it.',
          );
        }
        const text = await get(links.assembly, 'func', func);
        return text instanceof Error ? text : (JSON.parse(text) as PageAssembly);
      }),
  };
}

function once<Value>(
  known: Map<number, Promise<Value>>,
  row: number,
  ask: () => Promise<Value>,
): Promise<Value> {
  let answer = known.get(row);
  if (answer === undefined) {
    answer = ask();
    known.set(row, answer);
  }
  return answer;
}

async function get(link: string, parameter: string, row: number): Promise<string | Error> {
  const address = new URL(link, document.baseURI);
  address.searchParams.set(parameter, String(row));
  try {
    const response = await fetch(address);
    const body = await response.text();
    return response.ok ? body : new Error(body);
  } catch {
    return new Error('perf-ts no longer answers: was it ended with Ctrl-C?');
  }
}
