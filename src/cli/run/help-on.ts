import type { Command } from 'commander';
import { UsageError } from '../../base/errors.ts';
import { nearestName } from '../../base/nearest-names.ts';
import { printable } from '../../base/printable.ts';
import { fromHabit, insteadOfHabit } from '../habits/habits.ts';
import { insteadOfCommand } from '../habits/perf-commands.ts';
import { wrapText } from '../render/wrap.ts';
import { exampleText } from '../shared/guided-command.ts';
import { LISTED_TOPICS, TOPIC_NAMES, type TopicName } from '../shared/topic-names.ts';
import { TOPICS } from './help-topics.ts';

/**
 * The text of a topic of `perf-ts help`, or of `perf-ts --help` for `all`; for a command its name, by that or by what other profilers call it. Throws
 * `UsageError` for other words.
 */
export function helpOn(
  word: string,
  program: Command,
  width: number,
): { readonly text: string } | { readonly command: string } {
  const { commands } = program;
  if (/^(?:all|help|-h|--help)$/.test(word)) return { text: program.helpInformation() };
  const names = commands.map((command) => command.name());
  if (names.includes(word)) return { command: word };
  const topic = TOPIC_NAMES.find((name) => name === word);
  if (topic !== undefined) return { text: topicText(topic, width) };
  const [meant] = fromHabit([word]);
  if (meant !== word && names.includes(meant)) return { command: meant };
  const instead = insteadOfCommand(word) ?? insteadOfHabit(word);
  const nearest = nearestName(word, [...names, ...TOPIC_NAMES]);
  throw new UsageError(`${printable(word)} is no command and no topic`, [
    ...(instead === null ? [] : [instead]),
    ...(nearest === undefined ? [] : [`did you mean perf-ts help ${nearest}?`]),
    `topics: ${LISTED_TOPICS}; perf-ts --help has the commands`,
  ]);
}

function topicText(name: TopicName, width: number): string {
  const { title, lines, notes } = TOPICS[name];
  const wrapped = (text: string): string => wrapText(text, width).join('\n');
  const sections = [wrapped(title), ...exampleText(lines, width)];
  if (notes.length > 0) sections.push(notes.map(wrapped).join('\n'));
  return `${sections.join('\n\n')}\n`;
}
