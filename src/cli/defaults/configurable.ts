import type { Command, Option } from 'commander';
import { TableOption } from '../shared/declare-options.ts';

const EVERY = ['color', 'quiet', 'verbose'];
const FILES = ['symfs', 'debug-dir'];
const NAMES = [...FILES, 'no-inline'];
const FRAMES = ['frames', 'js-simple', 'no-source-maps'];
const WEIGHING = [...NAMES, ...FRAMES, 'weight', 'debuginfod'];

/** The options that can have a default of the user's, by command and by their long name. */
const CONFIGURABLE: Readonly<Record<string, readonly string[]>> = {
  report: [...WEIGHING, 'limit', 'idle'],
  diff: [...WEIGHING, 'limit'],
  export: WEIGHING,
  view: WEIGHING,
  annotate: [...NAMES, 'weight', 'debuginfod', 'limit'],
  query: [...NAMES, ...FRAMES, 'weight', 'limit', 'max-rows', 'timeout'],
  script: NAMES,
  periods: ['streams'],
  archive: FILES,
};

/**
 * The options on a command line, by commander's names, that make the default of another void: they exclude it,
 * ask for the same in another way, or ask for all there is.
 */
const GIVES_WAY_TO: Readonly<Record<string, readonly string[]>> = {
  frames: ['jsRaw', 'jsSimple', 'json', 'dso', 'dsos'],
  'js-simple': ['jsRaw', 'frames'],
  limit: ['rows', 'entries', 'json', 'md'],
  debuginfod: ['live'],
};

/** Long names of the options of `command` that can have a default of the user's. */
export function configurableOptions(command: Command): readonly string[] {
  const ofTable = command.options.filter(
    (option) => option instanceof TableOption && option.isConfigurable,
  );
  const names = ofTable.map(({ long }) => `${long}`.slice(2));
  return [...new Set([...EVERY, ...names, ...(CONFIGURABLE[command.name()] ?? [])])];
}

/** Commander's names of the options that make the default of another void where they are given. */
export function optionsBefore(name: string, option: Option): readonly string[] {
  return option instanceof TableOption ? option.givesWayTo : (GIVES_WAY_TO[name] ?? []);
}
