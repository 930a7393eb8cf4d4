import { NONE } from '../../base/brand.ts';
import { printable } from '../../base/printable.ts';
import type { AskedOf } from '../../options/option.ts';
import { forLibrary } from '../../options/read-flags.ts';
import { STRICT } from '../../options/reading.ts';
import { openProfile } from '../../read/open-profile.ts';
import { fileFindingsOf } from '../../read/outputs/findings-of.ts';
import { type RecordingInfo, readInfo } from '../../read/recording-info.ts';
import { readKernelBuildId } from '../../system/kernel/host-info.ts';
import { progressOf } from '../info/info.ts';
import { notify } from '../shared/failure.ts';
import { readingProgress } from '../shared/progress.ts';
import { reportFindings } from '../shared/report-findings.ts';
import { printJson, writeOut } from '../shared/stdout.ts';
import type { BUILD_ID_LIST, EVLIST } from './recording-lists-options.ts';

/** `perf-ts evlist`: the events of a recording, side-band ones included, as perf has them. */
export async function runEvlist(path: string, flags: AskedOf<typeof EVLIST>): Promise<void> {
  const info = readInfo(path, { ...forLibrary(STRICT, flags), ...progressOf(path) });
  reportFindings(info.findings, flags);
  if (flags.json) {
    printJson({ schema: 'perf-ts/evlist@1', events: info.events });
    return;
  }
  const lines = info.events.map((event) => {
    if (flags.verbose) return `${event.name}: ${detailsOf(event)}`;
    return flags.freq ? `${event.name}: ${rateOf(event)}` : event.name;
  });
  const grouped = flags.group ? inBraces(lines, info) : lines;
  writeOut(`${grouped.map(printable).join('\n')}\n`);
}

function rateOf({ freqHz, period }: RecordingInfo['events'][number]): string {
  if (freqHz !== null) return `sample_freq=${freqHz}`;
  return `sample_period=${period ?? 0}`;
}

function detailsOf(event: RecordingInfo['events'][number]): string {
  const { type, config, sampleType, readFormat, precise, flags } = event;
  return [
    `type ${type}, config ${config}, ${rateOf(event)}`,
    `sample_type ${sampleType.join('|')}`,
    `read_format ${readFormat.join('|')}`,
    ...(precise > 0 ? [`precise_ip ${precise}`] : []),
    flags.join(', '),
  ].join(', ');
}

/** `{cycles,instructions}` in place of the lines of a group. */
function inBraces(lines: readonly string[], { header }: RecordingInfo): string[] {
  const groups = (header.groups ?? []) as { leaderIndex: number; memberCount: number }[];
  const result: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const group = groups.find(({ leaderIndex }) => leaderIndex === at);
    const count = Math.max(1, group?.memberCount ?? 1);
    const members = lines.slice(at, at + count);
    result.push(count > 1 ? `{${members.join(',')}}` : members[0]);
    at += count;
  }
  return result;
}

type BuildId = { readonly buildId: string; readonly path: string };

/** `perf-ts buildid-list`: the build IDs that a recording has, of its header and of its mappings. */
export async function runBuildIdList(
  path: string,
  flags: AskedOf<typeof BUILD_ID_LIST>,
): Promise<void> {
  const found = flags.kernel ? ofThisKernel() : await ofRecording(path, flags);
  if (flags.json) {
    printJson({ schema: 'perf-ts/buildid-list@1', buildIds: found });
    return;
  }
  if (found.length === 0)
    notify('perf-ts: the recording has no build IDs: perf-ts inject -b adds them');
  writeOut(found.map(({ buildId, path }) => `${buildId} ${printable(path)}\n`).join(''));
}

function ofThisKernel(): BuildId[] {
  const buildId = readKernelBuildId();
  return buildId === null ? [] : [{ buildId, path: '[kernel.kallsyms]' }];
}

async function ofRecording(path: string, flags: AskedOf<typeof BUILD_ID_LIST>): Promise<BuildId[]> {
  const onProgress = readingProgress(path);
  const opened = await openProfile(path, {
    ...forLibrary(STRICT, flags),
    symbols: false,
    unwind: false,
    ...(onProgress && { onProgress }),
  });
  reportFindings(fileFindingsOf(opened), flags);
  const { dsos, frames, stacks, samples } = opened.profile;
  const isHit = new Uint8Array(dsos.length);
  for (let i = 0; i < samples.length; i++) {
    const stack = samples.stack[i];
    const dso = stack === NONE ? NONE : frames.dso[stacks.frame[stack]];
    if (dso !== NONE) isHit[dso] = 1;
  }
  const ofFiles = dsos.flatMap(({ buildId, path }, dso): BuildId[] =>
    buildId === null || (flags.withHits && isHit[dso] === 0) ? [] : [{ buildId, path }],
  );
  const unique = new Map(ofFiles.map((each) => [`${each.buildId} ${each.path}`, each]));
  return [...unique.values()];
}
