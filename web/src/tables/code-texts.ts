import type { PageAssembly } from '../../../src/code/disassembly/types.ts';
import type { PageFile } from '../../../src/formats/export/page-profile.ts';

/** Texts of a recording's code, each fetched from the server once; a sentence if there is none. */
export class CodeTexts {
  readonly #links: PageFile['links'];
  readonly #sources = new Map<number, Promise<string | Error>>();
  readonly #assemblies = new Map<number, Promise<PageAssembly | Error>>();

  constructor({ links }: PageFile) {
    this.#links = links;
  }

  /** Text of the source file in a row of the profile's strings. */
  source(string: number): Promise<string | Error> {
    return once(this.#sources, string, async () => {
      const { source } = this.#links;
      return source === undefined
        ? new Error('A page that is a file has no sources inside; `perf-ts view` shows them.')
        : get(source, 'name', string);
    });
  }

  /** Code of the function in a row of the profile's functions. */
  assembly(func: number): Promise<PageAssembly | Error> {
    return once(this.#assemblies, func, async () => {
      const { assembly } = this.#links;
      if (assembly === undefined) {
        return new Error(
          'A page that is a file has no machine code inside; `perf-ts view` shows it.',
        );
      }
      const text = await get(assembly, 'func', func);
      return text instanceof Error ? text : (JSON.parse(text) as PageAssembly);
    });
  }
}

function once<Value>(
  known: Map<number, Promise<Value>>,
  row: number,
  ask: () => Promise<Value>,
): Promise<Value> {
  const answer = known.get(row) ?? ask();
  known.set(row, answer);
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
