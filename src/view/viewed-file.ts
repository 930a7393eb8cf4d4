import { basename } from 'node:path';
import { NONE } from '../base/brand.ts';
import { printable } from '../base/printable.ts';
import type { FunctionAssembly, PageAssembly } from '../code/disassembly/types.ts';
import { judgeEvent } from '../findings/finding.ts';
import { keepRows } from '../formats/export/keep-rows.ts';
import { encodePageData } from '../formats/export/page-data.ts';
import type { FirstAnswer } from '../formats/export/page-profile.ts';
import { encodePageReport } from '../formats/export/page-report.ts';
import type { SampleSelection } from '../profile/analysis/select/filter.ts';
import type { EventIndex, Profile, WeightKind } from '../profile/types.ts';
import { nameFunction, reportFunctions, topFunctions } from '../questions/top.ts';
import { hotSources, SourceFiles } from '../read/code/source-files.ts';
import type { OpenedProfile } from '../read/open-profile.ts';
import { askAboutEvent } from '../read/outputs/asked-event.ts';
import { describePageProfile } from '../read/outputs/describe-page-profile.ts';
import { describePageReport } from '../read/outputs/describe-page-report.ts';
import { exportPprof } from '../read/outputs/export-pprof.ts';
import { exportProfile } from '../read/outputs/export-profile.ts';
import { findingsOf } from '../read/outputs/findings-of.ts';
import type { DownloadFormat, SamplePart, ServedFile } from './served-file.ts';

export type ViewedFileOptions = {
  /** The kind of weight to begin with, and that of downloads; default `events`. */
  readonly weight?: WeightKind;
  /** It is being written. */
  readonly isLive?: boolean;
};

/** One recording that is looked at, and what a server has of it. */
export class ViewedFile implements ServedFile {
  readonly name: string;
  readonly #path: string;
  readonly #weight: WeightKind | undefined;
  #opened: OpenedProfile;
  #isLive: boolean;
  #packed: Uint8Array | null = null;
  #report: string | null = null;
  /** Profile whose rows a page that is shown again may still hold. */
  #earlier: Profile | null = null;
  /** Profile with the rows that the page has. */
  #shown: Profile | null = null;
  #sources: SourceFiles | null = null;

  constructor(path: string, opened: OpenedProfile, options: ViewedFileOptions = {}) {
    this.name = basename(path);
    this.#path = path;
    this.#opened = opened;
    this.#weight = options.weight;
    this.#isLive = options.isLive ?? false;
  }

  /** Takes the recording as it has grown. */
  replace(opened: OpenedProfile, { isLive }: { isLive: boolean }): void {
    this.#opened = opened;
    this.#isLive = isLive;
    this.#packed = null;
    this.#report = null;
    this.#sources = null;
  }

  pageData(): Uint8Array {
    if (this.#packed === null) {
      const page = describePageProfile(this.#opened, {
        ...this.#options(),
        title: this.#title(),
      });
      const profile = this.#earlier === null ? page.profile : keepRows(page.profile, this.#earlier);
      this.#earlier = this.#isLive ? profile : null;
      this.#shown = profile;
      const periodInput = {
        ...page.periodInput,
        samples: { ...page.periodInput.samples, ...profile.samples },
        threads: profile.threads,
      };
      this.#packed = encodePageData({ ...page, profile, periodInput });
    }
    return this.#packed;
  }

  pageReport(): string {
    if (this.#report === null) {
      const report = describePageReport(this.#opened, this.#options());
      // A file that is being written ends early all the time.
      const findings = report.findings.filter(
        ({ code }) => !this.#isLive || code !== 'recording-cut',
      );
      this.#report = encodePageReport({ ...report, findings });
    }
    return this.#report;
  }

  firstAnswer(): string {
    const opened = this.#opened;
    const { events } = opened.profile;
    const trust = judgeEvent(findingsOf(opened), 0);
    const asked = events.length === 0 ? null : askAboutEvent(opened, 0 as EventIndex, this.#weight);
    const top =
      asked && topFunctions(reportFunctions({ ...asked, estimator: null }, false), 'self')[0];
    const answer: FirstAnswer = {
      lengthNs: Math.max(0, opened.recordedTime().lastNs || 0),
      samples: asked?.rows.length ?? 0,
      event: printable(events[0]?.name ?? ''),
      trust: { level: trust.level, label: trust.label },
      top: top
        ? { name: printable(nameFunction(opened.profile, top.func).name), share: top.share }
        : null,
    };
    return JSON.stringify(answer);
  }

  async download(format: DownloadFormat, part: SamplePart): Promise<Uint8Array> {
    const opened = this.#opened;
    const options = { ...this.#options(), select: selectionOf(part) };
    if (format === 'pprof') return exportPprof(opened, options);
    const pieces: Buffer[] = [];
    exportProfile(opened, format, options, (text) => pieces.push(Buffer.from(text)));
    return Buffer.concat(pieces);
  }

  async assembly(func: number): Promise<string> {
    this.pageData();
    const shown = this.#shown as Profile;
    const { frames, strings } = shown;
    const rows: number[] = [];
    const named = new Set<number>();
    for (let frame = 0; frame < frames.length; frame++) {
      if (frames.func[frame] === func) rows.push(frame);
      if (frames.file[frame] !== NONE) named.add(frames.file[frame]);
    }
    const assembly = await this.#opened.disassembleFrames(rows);
    const used = new Set(
      assembly.parts.flatMap(({ locations }) => locations.map(({ file }) => file)),
    );
    const files = [...named]
      .map((string) => ({ path: strings[string], string }))
      .filter(({ path }) => used.has(path));
    const answer: PageAssembly = {
      ...assembly,
      files,
      funcs: referredFuncs(shown, func, assembly),
    };
    return JSON.stringify(answer);
  }

  /** The recorded command; a text does not have one. */
  #title(): string {
    return this.#opened.profile.meta.commandLine.join(' ') || this.name;
  }

  #options(): { readonly weight?: WeightKind } {
    return this.#weight === undefined ? {} : { weight: this.#weight };
  }

  hotSources(): string {
    this.pageData();
    return hotSources(this.#shown as Profile, this.#sourceFiles());
  }

  source(string: number): string {
    return this.#sourceFiles().answer(string);
  }

  #sourceFiles(): SourceFiles {
    this.pageData();
    this.#sources ??= new SourceFiles(this.#shown as Profile, this.#path);
    return this.#sources;
  }
}

function selectionOf({ tids, pids, cpus, ...range }: SamplePart): SampleSelection {
  return {
    ...range,
    ...(tids !== undefined && { tids: new Set(tids) }),
    ...(pids !== undefined && { pids: new Set(pids) }),
    ...(cpus !== undefined && { cpus: new Set(cpus) }),
  };
}

/** Events with samples: the others are no rows of the profile. */
function referredFuncs(
  { funcs, strings }: Profile,
  from: number,
  { parts }: FunctionAssembly,
): PageAssembly['funcs'] {
  const names = new Set(parts.flatMap(({ refers }) => refers).filter((name) => name !== ''));
  const found: { name: string; func: number }[] = [];
  for (let func = 0; func < funcs.length; func++) {
    const name = strings[funcs.name[func]];
    if (funcs.dso[func] === funcs.dso[from] && names.has(name)) found.push({ name, func });
  }
  return found;
}
