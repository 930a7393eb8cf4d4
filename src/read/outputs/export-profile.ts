import { lateModules } from '../../base/late-modules.ts';
import { doubtsOfEvents, findingText, judgeEvent } from '../../findings/finding.ts';
import { writeCpuProfile } from '../../formats/export/cpuprofile.ts';
import {
  chooseCpuProfilePart,
  explainCpuProfilePart,
} from '../../formats/export/cpuprofile-part.ts';
import type { ExportProvenance } from '../../formats/export/export-provenance.ts';
import { writeFirefox } from '../../formats/export/firefox.ts';
import { writeFolded } from '../../formats/export/folded.ts';
import { encodePageData } from '../../formats/export/page-data.ts';
import { encodePageReport } from '../../formats/export/page-report.ts';
import { writeSpeedscope } from '../../formats/export/speedscope.ts';
import { type SvgOptions, writeSvg } from '../../formats/export/svg.ts';
import { withUnitOf } from '../../formats/export/weight-title.ts';
import { checkArguments } from '../../options/arguments.ts';
import { checkOptions } from '../../options/check.ts';
import { EXPORT_PROFILE, type ExportFormat, type ExportOptions } from '../../options/export.ts';
import {
  firstEvent,
  isRestricting,
  type SampleSelection,
} from '../../profile/analysis/select/filter.ts';
import type { EventIndex, Weights } from '../../profile/types.ts';
import { packageVersion } from '../../system/version.ts';
import { hotSources, SourceFiles } from '../code/source-files.ts';
import type { AnalysedProfile } from './analysed-profile.ts';
import { describePageProfile } from './describe-page-profile.ts';
import { describePageReport } from './describe-page-report.ts';
import { describeProvenance } from './describe-provenance.ts';
import { findingsOf } from './findings-of.ts';
import { eventLine, FOLDED, programLine, shownFrames } from './recording-head.ts';
import { renderPage } from './render-page.ts';

/**
 * Writes the profile in one of the formats; `write` gets it in pieces. Throws `UsageError` for unknown options.
 *
 * @example
 * ```ts
 * import { createWriteStream } from 'node:fs';
 * import { type ExportOptions, exportProfile, openProfile } from 'perf-ts';
 *
 * const options: ExportOptions = { title: 'app.js', sourcesOf: 'perf.data' };
 * const page = createWriteStream('app.html');
 * exportProfile(await openProfile('perf.data'), 'html', options, (text) => page.write(text));
 * page.end();
 * ```
 */
export function exportProfile(
  opened: AnalysedProfile,
  format: ExportFormat,
  options: ExportOptions,
  write: (text: string) => void,
): void {
  checkArguments({ opened, format, write });
  checkOptions(EXPORT_PROFILE, options, 'an export');
  const { profile } = opened;
  const { weights, select } = selectionOf(opened, options);
  const exporter = `perf-ts ${packageVersion()}`;
  const provenance = () => exportProvenance(opened, options);
  switch (format) {
    case 'folded':
      writeFolded(
        profile,
        weights,
        { select, ...(options.names !== undefined && { names: options.names }) },
        write,
      );
      break;
    case 'speedscope':
      writeSpeedscope(profile, weights, { select, exporter, provenance: provenance() }, write);
      break;
    case 'cpuprofile':
      writeCpuProfile(profile, weights, { select, exporter, provenance: provenance() }, write);
      break;
    case 'firefox': {
      const { startWallNs } = opened.facts;
      const wall = startWallNs === null ? {} : { startWallNs };
      const marks = opened.marks();
      writeFirefox(
        profile,
        weights,
        { select, exporter, provenance: provenance(), marks, ...wall },
        write,
      );
      break;
    }
    case 'svg':
      writeSvg(profile, weights, describePicture(opened, weights, select, options), write);
      break;
    case 'html':
      write(exportPage(opened, options, select));
      break;
  }
}

/**
 * Sentences on what an export leaves out or shows in another unit: a .cpuprofile has one thread,
 * and its unit is time. Empty for formats that hold all that was selected.
 */
export function explainExport(
  opened: AnalysedProfile,
  format: ExportFormat,
  options: ExportOptions,
): readonly string[] {
  if (format !== 'cpuprofile') return [];
  const { weights, select } = selectionOf(opened, options);
  return explainCpuProfilePart(
    opened.profile,
    chooseCpuProfilePart(opened.profile, weights, select),
  );
}

function selectionOf(
  opened: AnalysedProfile,
  options: ExportOptions,
): { readonly weights: Weights; readonly select: SampleSelection } {
  const event = options.event === undefined ? undefined : opened.eventIndex(options.event);
  return {
    weights: opened.weights(options.weight, event, options.select),
    select: { ...options.select, ...(event !== undefined && { event }) },
  };
}

/** The head of the picture of one event: that of a report, and every doubt about the event. */
function describePicture(
  opened: AnalysedProfile,
  weights: Weights,
  select: SampleSelection,
  { title, weight = 'events' }: ExportOptions,
): SvgOptions {
  const { profile } = opened;
  const event = (select.event ?? firstEvent(profile)) as EventIndex;
  const described = profile.events[event];
  const own = described === undefined ? weights : withUnitOf(described, weights);
  const folded = FOLDED[shownFrames(opened)];
  // Findings are about the whole recording, weighed by events.
  const isWhole = weight === 'events' && !isRestricting(select);
  const doubts = isWhole ? doubtsOfEvents(findingsOf(opened), [event]) : [];
  return {
    select,
    title: title ?? programLine(profile, false),
    linesOf: (sums) => [
      ...(described === undefined
        ? ['no event was sampled']
        : [eventLine(opened, event, sums, own, select)]),
      ...(folded === null ? [] : [`frames: ${folded}`]),
      ...(isWhole && doubts.length === 0 ? [`trust: ${judgeEvent([], event).label}`] : []),
      ...doubts.map((finding) => `trust: ${findingText(finding)}`),
    ],
  };
}

/** The page with the profile inside. */
function exportPage(
  opened: AnalysedProfile,
  options: ExportOptions,
  select: SampleSelection,
): string {
  const isWhole = Object.values(select).every((part) => part === undefined);
  const shown = {
    ...(options.weight !== undefined && { weight: options.weight }),
    ...(!isWhole && { select }),
  };
  const page = describePageProfile(opened, {
    ...shown,
    ...(options.title !== undefined && { title: options.title }),
  });
  const file = {
    title: page.title,
    data: pack(encodePageData(page)),
    report: pack(encodePageReport(describePageReport(opened, shown))),
    ...(options.sourcesOf !== undefined && {
      sources: pack(hotSources(page.profile, new SourceFiles(page.profile, options.sourcesOf))),
    }),
  };
  return renderPage([file]);
}

/**
 * Packs a data block of the page. The best compression takes up to ten times the time, in which nothing else can
 * happen, and saves a fiftieth.
 */
function pack(content: Uint8Array | string): string {
  return lateModules.zlib.gzipSync(content).toString('base64');
}

/** The origin of the numbers of that export. Folded lines have no room for it: write it beside. */
export function exportProvenance(
  opened: AnalysedProfile,
  options: ExportOptions,
): ExportProvenance {
  const { event, weight, select } = options;
  return describeProvenance(opened, {
    ...(select !== undefined && { select }),
    ...(weight !== undefined && { weight }),
    ...(event !== undefined && { event: opened.eventIndex(event) }),
  });
}
