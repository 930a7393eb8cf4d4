import { FailedError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import { finish } from '../../base/slices.ts';
import { withKinds } from '../../code/levels/fold-to-level.ts';
import { levelsOf } from '../../code/levels/levels-of.ts';
import { narrowPage } from '../../formats/export/narrow-page.ts';
import type { PageProfile } from '../../formats/export/page-profile.ts';
import { type SampleSelection, selectSamples } from '../../profile/analysis/select/filter.ts';
import type { EventIndex, Profile, WeightKind, Weights } from '../../profile/types.ts';
import { packageVersion } from '../../system/version.ts';
import type { AnalysedProfile } from './analysed-profile.ts';
import { fileFindingsOf } from './findings-of.ts';

export type PageProfileOptions = {
  /** The kind to begin with; default `events`. */
  readonly weight?: WeightKind;
  /** Default: the recorded command. */
  readonly title?: string;
  /** These samples only; their weights stay those of the whole recording. */
  readonly select?: SampleSelection;
};

const KINDS: readonly WeightKind[] = ['events', 'period', 'samples', 'time', 'wall'];

/** An opened recording as the page holds it: with all frames, of which it shows those of the opened level first. */
export function describePageProfile(
  opened: AnalysedProfile,
  options: PageProfileOptions = {},
): PageProfile {
  const firstWeight = options.weight ?? 'events';
  // Fails as every command does where the weight asked for was not recorded.
  opened.weights(firstWeight);
  const { weights, missingWeights } = allWeights(opened, options.select);
  const recorded = opened.profileAt('all');
  const levels = levelsOf(recorded);
  const profile = printableProfile(levels.length > 1 ? withKinds(recorded) : recorded);
  const { samples, threads, events, streams } = profile;
  const command = profile.meta.commandLine.join(' ');
  const missingNames = reportMissingNames(opened);
  const weightDoubts = events.map((_, event) => opened.weightDoubt(event as EventIndex));
  const page: PageProfile = {
    schema: 'perf-ts/page-profile@1',
    title: printable(options.title ?? (command || 'profile')),
    exporter: `perf-ts ${packageVersion()}`,
    profile,
    weights,
    missingWeights,
    firstWeight,
    ...(levels.length > 1 && { firstFrames: opened.facts.frames, frameLevels: levels }),
    ...(missingNames.length > 0 && { missingNames }),
    ...(weightDoubts.some((doubt) => doubt !== null) && { weightDoubts }),
    periodInput: {
      ...opened.periodInput,
      samples: { ...opened.periodInput.samples, ...samples },
      threads,
      events,
      streams,
    },
    completeness: opened.completeness,
  };
  if (options.select === undefined) return page;
  return narrowPage(page, finish(selectSamples(opened.profile, options.select)));
}

function reportMissingNames(opened: AnalysedProfile): string[] {
  return fileFindingsOf(opened)
    .filter(({ code }) => code === 'names-missing' || code === 'names-doubtful')
    .map(({ sentence }) => sentence);
}

function allWeights(
  opened: AnalysedProfile,
  select: SampleSelection | undefined,
): Pick<PageProfile, 'weights' | 'missingWeights'> {
  const weights: Partial<Record<WeightKind, Weights>> = {};
  const missingWeights: Partial<Record<WeightKind, string>> = {};
  for (const kind of KINDS) {
    try {
      weights[kind] = opened.weights(kind, undefined, select);
    } catch (error) {
      if (!(error instanceof FailedError)) throw error;
      missingWeights[kind] = printable(error.message);
    }
  }
  return { weights, missingWeights };
}

/** The profile with every text that a stranger wrote made printable. */
function printableProfile(profile: Profile): Profile {
  const { meta } = profile;
  return {
    ...profile,
    meta: {
      ...meta,
      commandLine: meta.commandLine.map(printable),
      hostname: meta.hostname === null ? null : printable(meta.hostname),
      kernel: meta.kernel === null ? null : printable(meta.kernel),
      arch: meta.arch === null ? null : printable(meta.arch),
      notes: meta.notes.map(printable),
    },
    strings: profile.strings.map(printable),
    events: profile.events.map((event) => ({ ...event, name: printable(event.name) })),
    dsos: profile.dsos.map((dso) => ({
      ...dso,
      name: printable(dso.name),
      path: printable(dso.path),
    })),
    threads: profile.threads.map((thread) => ({ ...thread, comm: printable(thread.comm) })),
  };
}
