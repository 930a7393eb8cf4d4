import { ConcurrentCounters } from '../counting/stat/concurrent-counters.ts';
import { CLOCK_IDS } from '../kernel/perf-event/clock-ids.ts';
import type { NativeBinding } from '../native/types.ts';
import type { RecordSettings } from '../options/record.ts';
import { asWriteFailure, checkWritable } from '../system/files/output-file.ts';
import {
  isStream,
  openStreamOnceRead,
  plainOutput,
  type StreamPlace,
} from '../system/files/stream-place.ts';
import { readPageBytes } from '../system/kernel/page-bytes.ts';
import { newCodeSocket } from './code-events/code-socket.ts';
import { describeExisting } from './existing/existing-state.ts';
import type { FeatureContext, RecordingScanner } from './output/feature-data.ts';
import { keptKernelLines } from './output/kept-kernel.ts';
import { RecordingFile } from './output/recording-file.ts';
import { RecordingStream } from './output/recording-stream.ts';
import { SampledSpans } from './output/sampled-spans.ts';
import { isDelayed } from './plan/check-options.ts';
import { giveNotice, keepNotices } from './plan/notices.ts';
import { type PreparedRecording, prepareRecording } from './prepare-recording.ts';

/** Elsewhere words that are no addresses always look as if they could be in a module. */
const KEEPS_KERNEL = process.arch === 'x64';

/** Everything that a recording needs is open; its target has not run, and a command is held. */
export type OpenedRecording = {
  readonly session: PreparedRecording;
  /** Counters of `stat`; null without. */
  readonly counters: ConcurrentCounters | null;
  /** It has its head and the records of what was there before. */
  readonly output: RecordingFile | RecordingStream;
  /** The path that was asked for, `-` for standard output. */
  readonly path: string;
  readonly features: FeatureContext;
};

/** Opens events, counters and output. Where one of them can't be opened, none is left open. */
export async function openRecordingParts(
  options: RecordSettings,
  binding: NativeBinding,
  giveUp: AbortSignal | undefined,
): Promise<OpenedRecording> {
  const path = plainOutput(options.output ?? 'perf.data');
  const stream = isStream(path) ? await openStreamOnceRead(path, giveUp) : null;
  try {
    if (stream === null) checkWritable(path);
    // A pipe has no attachments. Programs that are started write maps where their recording is read meanwhile.
    const writeMaps = options.readMeanwhile && options.pids === undefined;
    const newSocket = stream === null && !writeMaps ? () => newCodeSocket(options) : null;
    const session = prepareRecording({ ...options, output: path }, binding, undefined, newSocket);
    try {
      return openBeside(session, path, stream, options, binding);
    } catch (error) {
      session.sampler.close();
      throw error;
    }
  } catch (error) {
    stream?.close();
    throw error;
  }
}

/** The counters and the output of a session whose events are open. */
function openBeside(
  session: PreparedRecording,
  path: string,
  stream: StreamPlace | null,
  options: RecordSettings,
  binding: NativeBinding,
): OpenedRecording {
  const features = featuresOf(session, options, binding);
  const counters = options.stat ? openCounters(session, options, binding) : null;
  try {
    const output = openOutput(session, path, stream, features, options.compressionLevel);
    return { session, counters, output, path, features };
  } catch (error) {
    counters?.finish();
    throw asWriteFailure(path, error);
  }
}

function featuresOf(
  { sampler, notices, settings, ring }: PreparedRecording,
  options: RecordSettings,
  binding: NativeBinding,
): FeatureContext {
  const { cache, clock, command, overwrite, programSymbols } = options;
  const { opened } = sampler;
  const pageKib = readPageBytes() / 1024;
  const mostKib = ring.mostPages === null ? null : ring.mostPages * pageKib;
  return {
    opened,
    rings: { kib: opened.ringPages * pageKib, mostKib },
    clock: clock ?? 'monotonic',
    command,
    notices,
    notify: keepNotices(notices, options),
    settings,
    readClockPair: (clockId) => binding.readClockPair(clockId),
    scanner: cache === true && KEEPS_KERNEL ? withKeptKernel(binding) : binding,
    keepsPrograms: programSymbols !== false,
    ...(overwrite && { countsBegin: 'dropped' as const }),
    sampled: new SampledSpans(() => binding.readClockPair(CLOCK_IDS[clock ?? 'monotonic']).clockNs),
  };
}

function withKeptKernel(binding: NativeBinding): RecordingScanner {
  const { scanRecording, findMetOwners } = binding;
  return { scanRecording, findMetOwners, readKernelLines: keptKernelLines(binding) };
}

/** Counters on the same target, while its command is still held. */
function openCounters(
  { plan, target, sampler }: PreparedRecording,
  options: RecordSettings,
  binding: NativeBinding,
): ConcurrentCounters {
  return ConcurrentCounters.open(
    {
      sampled: plan.events,
      target,
      opened: sampler.opened,
      cpus: options.cpus,
      cgroup: options.cgroup,
      inherit: options.inherit !== false,
      delayed: isDelayed(options),
      notify: (notice) => giveNotice(options, notice),
    },
    binding,
  );
}

function openOutput(
  { plan, sampler, owner, target }: PreparedRecording,
  path: string,
  stream: StreamPlace | null,
  features: FeatureContext,
  compressionLevel = 0,
): RecordingFile | RecordingStream {
  const { notify } = features;
  const { opened } = sampler;
  const output =
    stream !== null
      ? RecordingStream.create(stream, plan, opened, features, compressionLevel)
      : RecordingFile.create(path, plan, opened, owner, compressionLevel);
  try {
    if (output instanceof RecordingFile) output.reportOwner(notify);
    output.append(describeExisting(target, sampler.opened, plan, notify));
    return output;
  } catch (error) {
    output.discard();
    throw error;
  }
}
