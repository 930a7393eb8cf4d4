import type { ByteSource } from '../../base/byte-source.ts';
import { type PerfDataError, tooLarge } from '../../base/errors.ts';
import { explainedCount, explainedSize, type MostUnpacked } from '../../base/explained-size.ts';
import type { ProcessTable } from '../../code/process/process-table.ts';
import type { ImportLimits } from '../../formats/import/imported-profile.ts';

/** A recording with what may come out of it. */
type SizedRecording = { readonly mostUnpacked: MostUnpacked; readonly source: ByteSource };

/** Bytes of mappings that forked processes may have in copies of their own. */
const MOST_COPIED_BYTES = 512 * 2 ** 20;
/** Beyond that so many times the recording's size: a fork and a mapping are 150 bytes of it at least. */
const COPIED_FOR_EACH = 5;

/**
 * Bytes of mappings that forked processes may have copied of their parents: a process that has mapped half
 * a million files and forks for each of its next records would take terabytes.
 */
function mostCopiedMappings({ mostUnpacked, source }: SizedRecording): number {
  return explainedSize(mostUnpacked, MOST_COPIED_BYTES, source.size * COPIED_FOR_EACH);
}

/** Threads, processes and mapped files; a machine has some ten thousand at a time. */
const MOST_OF_EACH = 400_000;
/** Beyond that so many bytes of the recording for each: a thread's start, name and end take 200. */
const BYTES_FOR_ONE = 250;
/** Memory that one takes until it is shown. */
const ONE_BYTES = 1000;

/** Bounds what `processes` holds of a recording: beyond, it throws. */
export function limitProcesses(processes: ProcessTable, data: SizedRecording): void {
  processes.mostCopiedBytes = mostCopiedMappings(data);
  const { mostUnpacked, source } = data;
  const explained = source.size / BYTES_FOR_ONE;
  processes.mostOfEach = explainedCount(mostUnpacked, ONE_BYTES, MOST_OF_EACH, explained);
}

/** All tracepoints of a kernel are two thousand; each event has tables over all samples. */
const MOST_EVENTS = 5000;

/** Throws `PerfDataError` where a recording or text has more events than are read. */
export function checkEventCount(events: number, most: MostUnpacked): void {
  if (events <= MOST_EVENTS || most !== null) return;
  throw tooLarge(`it has more than ${MOST_EVENTS} events`, 'are');
}

/** Places in code that samples may be at; the largest programs have some hundred thousand. */
const MOST_FRAMES = 2_000_000;
/** Beyond that so many bytes of the recording for each. */
const BYTES_FOR_FRAME = 64;
/** Memory that a frame takes until it is printed. */
const FRAME_BYTES = 256;

/** How many different frames are read of a recording. */
export function mostFramesOf({ mostUnpacked, source }: SizedRecording): number {
  return explainedCount(mostUnpacked, FRAME_BYTES, MOST_FRAMES, source.size / BYTES_FOR_FRAME);
}

export function tooManyFrames(most: number): PerfDataError {
  const places = `more than ${Math.floor(most)} different places in code`;
  return tooLarge(`its stacks have ${places}, as no program has`, 'is');
}

/** A gzipped profile may unpack to so much: pprof's are some MiB. */
const MOST_UNPACKED_TEXT = 512 * 2 ** 20;

export function mostUnpackedOfText(most: MostUnpacked): number {
  return most ?? MOST_UNPACKED_TEXT;
}

/** Characters of a line: a stack has some hundred frames, and a name some hundred characters. */
const MOST_OF_LINE = 2 ** 24;
/** Memory that one takes while its frames are split. */
const CHARACTER_BYTES = 24;
/** A profile of an hour, sampled each millisecond, takes half of it. */
const MOST_JSON_BYTES = 2 * 2 ** 30;
/** The names of a text are its own; a frame of a recording shares its function with others. */
const MOST_NAMED_FRAMES = 500_000;
/** Stacks of a text and their beginnings: each is a row of tables, and ten bytes of the text make one. */
const MOST_STACKS = 3_000_000;
/** Memory that one takes, with its text and a name of its own. */
const STACK_BYTES = 256;

/** Bounds of a text: its checks throw `PerfDataError`. */
export function limitsOfText(most: MostUnpacked): ImportLimits {
  const mostThreads = explainedCount(most, ONE_BYTES, MOST_OF_EACH);
  const mostCharacters = explainedCount(most, CHARACTER_BYTES, MOST_OF_LINE);
  const mostFrames = explainedCount(most, FRAME_BYTES, MOST_NAMED_FRAMES);
  const mostStacks = explainedCount(most, STACK_BYTES, MOST_STACKS);
  return {
    checkEvents: (events) => checkEventCount(events, most),
    // Also names of threads, where the text tells no numbers.
    checkThreads(threads) {
      if (threads <= mostThreads) return;
      throw tooLarge(`it has more than ${Math.floor(mostThreads)} threads`, 'are');
    },
    checkLine(characters) {
      if (characters <= mostCharacters) return;
      throw tooLarge(`it has a line of more than ${Math.floor(mostCharacters)} characters`, 'is');
    },
    // By an upper bound of the memory that it takes.
    checkJson(bytes) {
      if (bytes <= (most ?? MOST_JSON_BYTES)) return;
      throw tooLarge(`it is JSON that may take ${Math.ceil(bytes / 2 ** 20)} MiB of memory`, 'is');
    },
    checkStacks(stacks, frames) {
      if (frames > mostFrames) throw tooManyFrames(mostFrames);
      if (stacks <= mostStacks) return;
      const which = `${Math.floor(mostStacks)} different stacks and beginnings of stacks`;
      throw tooLarge(`it has more than ${which}`, 'are');
    },
  };
}
