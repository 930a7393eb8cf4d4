import { statSync } from 'node:fs';
import { UsageError } from '../../base/errors.ts';
import { formatBytes } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { isPrintedOnReading } from '../../findings/finding.ts';
import { doubtNotes, printableProvenance } from '../../formats/export/export-provenance.ts';
import { weightTitle } from '../../formats/export/weight-title.ts';
import { type EXPORT, EXPORT_PROFILE, type FILE_FORMATS } from '../../options/export.ts';
import { type AskedOf, pick } from '../../options/option.ts';
import { forLibrary } from '../../options/read-flags.ts';
import { firstEvent } from '../../profile/analysis/select/filter.ts';
import type { OpenedProfile } from '../../read/open-profile.ts';
import { exportPprof } from '../../read/outputs/export-pprof.ts';
import {
  explainExport,
  exportProfile,
  exportProvenance,
} from '../../read/outputs/export-profile.ts';
import { notify, notifyAlways } from '../shared/failure.ts';
import { loadForCommand } from '../shared/load.ts';
import {
  checkOutput,
  checkOutputIsNot,
  closeOutput,
  discardOutput,
  openOutput,
} from '../shared/open-output.ts';
import { writingProgress } from '../shared/progress.ts';
import { selectFrom } from '../shared/selection-flags.ts';
import { isTerminal, writeTo } from '../shared/stdout.ts';

type FileFormat = (typeof FILE_FORMATS)[number];

/** Programs that open a file of each format. */
const OPENED_BY: { readonly [format in FileFormat]: string } = {
  folded: 'flamegraph.pl and https://www.speedscope.app draw it',
  speedscope: 'https://www.speedscope.app opens it',
  html: 'a browser opens it, also without a network',
  svg: 'a browser or a viewer of pictures opens it',
  pprof: 'go tool pprof -http=: opens it',
  firefox: 'https://profiler.firefox.com opens it',
  cpuprofile: "Chrome's DevTools and VS Code open it",
};

const WEIGHED = pick(EXPORT_PROFILE, 'weight', 'event');
const OF_FILE = pick(EXPORT_PROFILE, 'weight', 'event', 'title', 'names');

/** `perf-ts export` of a format that is one file. */
export type ExportFlags = AskedOf<typeof EXPORT> & { readonly format: FileFormat };

/** `perf-ts export`: the profile in the format of another tool. */
export async function runExport(path: string, flags: ExportFlags): Promise<void> {
  if (flags.format === 'pprof' && flags.output === '-' && isTerminal(1)) {
    throw new UsageError('a pprof file is compressed: it would garble the terminal', [
      'name a file: -o profile.pb.gz',
    ]);
  }
  checkOutputIsNot(path, flags.output);
  checkOutput(flags.output);
  // Folded lines have no place for them.
  const lines = flags.inline !== false && flags.format !== 'folded';
  const opened = await loadForCommand(path, flags, lines ? { lines } : {});
  const isPage = flags.format === 'html';
  const options = {
    ...forLibrary(OF_FILE, flags),
    select: selectFrom(opened, flags),
    ...(isPage && flags.sources !== false && { sourcesOf: path }),
  };
  const fd = flags.output === '-' ? 1 : openOutput(flags.output, 0o600);
  const name = flags.output === '-' ? 'standard output' : flags.output;
  const onBytes = writingProgress(name);
  let written = 0;
  const write = (bytes: Uint8Array): void => {
    writeTo(fd, bytes, name);
    written += bytes.length;
    onBytes(written);
  };
  try {
    onBytes(0);
    if (flags.format === 'pprof') write(await exportPprof(opened, options));
    else exportProfile(opened, flags.format, options, (text) => write(Buffer.from(text)));
  } catch (error) {
    if (fd !== 1) discardOutput(fd, flags.output);
    throw error;
  }
  if (fd !== 1) closeWith(fd, flags, written);
  if (flags.format === 'folded') reportBeside(opened, flags);
  if (flags.format !== 'pprof') {
    for (const line of explainExport(opened, flags.format, options)) notify(`perf-ts: ${line}`);
  }
  if (flags.json) {
    notifyAlways(
      JSON.stringify(printableProvenance(exportProvenance(opened, forLibrary(WEIGHED, flags)))),
    );
    return;
  }
  reportWeight(opened, flags);
}

/** The event and the weight of what was written, where the recording leaves a choice. */
function reportWeight(opened: OpenedProfile, flags: ExportFlags): void {
  const { events } = opened.profile;
  if (!flags.verbose && events.length <= 1) return;
  const event =
    flags.event !== undefined
      ? opened.eventIndex(flags.event)
      : ['folded', 'cpuprofile', 'svg'].includes(flags.format)
        ? firstEvent(opened.profile)
        : undefined;
  const shown = event === undefined ? 'all events' : (events[event]?.name ?? '');
  const title = weightTitle(opened.weights(flags.weight, event));
  notify(`perf-ts: ${flags.format} of ${printable(shown)}, weighed by ${title}`);
}

/** Closes the file, with a line for who sees nothing else happen: a script knows what it asked for. */
function closeWith(fd: number, flags: ExportFlags, bytes: number): void {
  closeOutput(fd, flags.output);
  if (flags.json || !isTerminal(2)) return;
  const beside =
    flags.format === 'folded'
      ? `; ${flags.output}.provenance.json: where its numbers come from`
      : '';
  notify(`perf-ts: ${formatBytes(bytes)} in ${flags.output}: ${OPENED_BY[flags.format]}${beside}`);
}

/**
 * Folded lines can't say where their numbers come from: a line that is no stack breaks difffolded.pl,
 * is warned of by flamegraph.pl and inferno, and keeps speedscope from knowing the format. So it goes
 * into a file beside the output, or on standard error where the output is a pipe.
 */
function reportBeside(opened: OpenedProfile, flags: ExportFlags): void {
  const first = opened.profile.events[firstEvent(opened.profile)]?.name;
  const event = flags.event ?? first;
  const provenance = exportProvenance(opened, {
    ...forLibrary(WEIGHED, flags),
    ...(event !== undefined && { event }),
  });
  // Nothing can stand beside a pipe or a device.
  if (flags.output === '-' || !statSync(flags.output).isFile()) {
    // With --json it is said as a whole.
    if (flags.json) return;
    const sentences = provenance.events.flatMap((described) => described.sentences);
    const doubts = doubtNotes(provenance, { isPrinted: isPrintedOnReading });
    for (const line of [...sentences, ...doubts]) notify(`perf-ts: ${line}`);
    return;
  }
  const path = `${flags.output}.provenance.json`;
  const fd = openOutput(path, 0o600);
  const text = `${JSON.stringify(printableProvenance(provenance), null, 2)}\n`;
  try {
    writeTo(fd, Buffer.from(text), path);
  } catch (error) {
    discardOutput(fd, path);
    throw error;
  }
  closeOutput(fd, path);
}
