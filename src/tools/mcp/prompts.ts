import { markdownCode } from '../../base/markdown.ts';

/** A question that is asked often, with the calls that answer it. */
export type Prompt = {
  readonly name: string;
  readonly description: string;
  /** Recordings that it is about. */
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string;
    readonly required: true;
  }[];
  readonly text: (files: Readonly<Record<string, string>>) => string;
};

const FILE = { name: 'file', description: 'path of the recording', required: true } as const;
const CAREFUL =
  'Give shares with their intervals, say what the findings make doubtful, and claim nothing that no call has answered.';

export const PROMPTS: readonly Prompt[] = [
  {
    name: 'where_time_goes',
    description: 'Which functions take the time, and who calls them',
    arguments: [FILE],
    text: ({ file }) =>
      `Where does ${file} spend its time? Call open, then top by self and by total. Follow the three largest functions ` +
      `to their callers (callers_callees) and lines (source). ${CAREFUL}`,
  },
  {
    name: 'what_changed',
    description: 'What takes more or less time than before',
    arguments: [
      { name: 'old', description: 'path of the recording before', required: true },
      { name: 'new', description: 'path of the recording after', required: true },
    ],
    text: ({ old, new: after }) =>
      `What did the change between ${old} and ${after} do? Call open for both, then diff by share and by time. ` +
      `Tell what can be told apart from what can not; for the functions that differ call source. ${CAREFUL}`,
  },
  {
    name: 'why_slow',
    description: 'Why a Node server answered late',
    arguments: [FILE],
    text: ({ file }) =>
      `Why did the server of ${file} answer late? Call requests, then turns: what the slowest turns of the event loop did ` +
      `or waited for. Follow their functions with callers_callees and source. ${CAREFUL}`,
  },
];

/** The message of a prompt; null where an argument is missing. */
export function promptText(
  prompt: Prompt,
  given: Readonly<Record<string, unknown>>,
): string | null {
  const files = prompt.arguments.map(({ name }) => [name, given[name]] as const);
  if (!files.every((each): each is readonly [string, string] => typeof each[1] === 'string')) {
    return null;
  }
  return prompt.text(Object.fromEntries(files.map(([name, file]) => [name, markdownCode(file)])));
}
