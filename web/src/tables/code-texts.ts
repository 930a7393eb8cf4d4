import type { PageAssembly } from '../../../src/code/disassembly/types.ts';
import type {
  PageFile,
  PageSource,
  PageSources,
} from '../../../src/formats/export/page-profile.ts';
import { loadPageSources } from '../setup.ts';

/** Texts of a recording's code, each fetched from the server once; a sentence if there is none. */
export class CodeTexts {
  readonly #file: PageFile;
  readonly #sources = new Map<number, Promise<PageSource | Error>>();
  readonly #assemblies = new Map<number, Promise<PageAssembly | Error>>();

  /** The sources that a page that is a file has inside; null until they are asked for. */
  #inside: Promise<PageSources> | null = null;

  constructor(file: PageFile) {
    this.#file = file;
  }

  /** The recording has grown: a function may have frames at more of its instructions. */
  forgetAssemblies(): void {
    this.#assemblies.clear();
  }

  /** Text of the source file in a row of the profile's strings. */
  source(string: number): Promise<PageSource | Error> {
    return once(this.#sources, string, async () => {
      const { source } = this.#file.links;
      if (source === undefined) {
        this.#inside ??= loadPageSources(document, this.#file);
        return (await this.#inside)[string] ?? new Error(NOT_INSIDE);
      }
      const response = await get(source, 'name', string);
      return response instanceof Error ? response : ((await response.json()) as PageSource);
    });
  }

  /** Code of the function in a row of the profile's functions. */
  assembly(func: number): Promise<PageAssembly | Error> {
    return once(this.#assemblies, func, async () => {
      const { assembly } = this.#file.links;
      if (assembly === undefined) {
        return new Error(
          'A page that is a file has no machine code inside; `perf-ts view` shows it.',
        );
      }
      const response = await get(assembly, 'func', func);
      return response instanceof Error ? response : ((await response.json()) as PageAssembly);
    });
  }
}

const NOT_INSIDE =
  'This page is a file, without the source of this function; `perf-ts view` shows it.';

function once<Value>(
  known: Map<number, Promise<Value>>,
  row: number,
  ask: () => Promise<Value>,
): Promise<Value> {
  const answer = known.get(row) ?? ask();
  known.set(row, answer);
  return answer;
}

/** An answer with a body, or the sentence that came instead. */
async function get(link: string, parameter: string, row: number): Promise<Response | Error> {
  const address = new URL(link, document.baseURI);
  address.searchParams.set(parameter, String(row));
  try {
    const response = await fetch(address);
    return response.ok ? response : new Error(await response.text());
  } catch {
    return new Error('perf-ts no longer answers: was it ended with Ctrl-C?');
  }
}
