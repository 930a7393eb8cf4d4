import { NONE } from '../../base/brand.ts';
import { FailedError, UsageError } from '../../base/errors.ts';
import { getOrMake } from '../../base/group-by.ts';
import { formatCount, formatShare } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { finish } from '../../base/slices.ts';
import { formatAddress } from '../../base/u64.ts';
import type { CodePart, FunctionAssembly } from '../../code/disassembly/types.ts';
import type { ANNOTATE } from '../../options/annotate.ts';
import type { AskedOf } from '../../options/option.ts';
import { computeFlatReport, type FlatReport } from '../../profile/analysis/flat-report.ts';
import type { SampleSelection } from '../../profile/analysis/select/filter.ts';
import { functionsNamed } from '../../profile/analysis/select/find-functions.ts';
import type { ShareEstimator } from '../../profile/analysis/shares/share-steps.ts';
import { dsoPlace } from '../../profile/dso-place.ts';
import { type FrameLevel, isKindOfCode } from '../../profile/frame-level.ts';
import { funcLabel } from '../../profile/func-label.ts';
import { lostFunc } from '../../profile/losses.ts';
import type { EventIndex, FuncIndex, Profile, Weights } from '../../profile/types.ts';
import type { InstructionWeights } from '../../questions/instructions.ts';
import { findLines, type LineShare, linesOfFile } from '../../questions/lines.ts';
import { SourceFiles } from '../../read/code/source-files.ts';
import type { AnalysedProfile } from '../../read/outputs/analysed-profile.ts';
import { framesLines } from '../report/frames-lines.ts';
import { notify } from '../shared/failure.ts';
import { loadForCommand } from '../shared/load.ts';
import { selectFrom } from '../shared/selection-flags.ts';
import { printJson, writeText } from '../shared/stdout.ts';
import { assemblyLines, type LineText, sourceLines, unknownLine } from './annotate-lines.ts';

export type AnnotateFlags = Omit<AskedOf<typeof ANNOTATE>, 'symbol'>;

/** Functions that are shown where none is named. */
const DEFAULT_FUNCTIONS = 3;

/** One function to show, with its weights. */
type Shown = {
  readonly func: FuncIndex;
  readonly name: string;
  readonly dso: string;
  readonly share: number;
  readonly self: number;
  readonly totalShare: number;
  readonly total: number;
  readonly samples: number;
};

/** `perf-ts annotate`: source lines and machine code of functions, with weights. */
export async function runAnnotate(path: string, symbols: readonly string[], flags: AnnotateFlags) {
  const loaded = await loadForCommand(path, flags, { lines: true });
  const select = selectFrom(loaded, flags);
  const event = loaded.eventIndex(flags.event);
  const weights = loaded.weights(flags.weight, event, select);
  const samples = loaded.samplesOf(event, select);
  const estimator = loaded.shareEstimator(weights, event, select);
  const meant = symbols.map((text) => functionsNamed(loaded.profile, text));
  const reportAt = (frames: FrameLevel) =>
    computeFlatReport(loaded.profileAt(frames), weights, samples);
  let level = loaded.facts.frames;
  let report = reportAt(level);
  const isIn = (isMeant: Uint8Array) => report.bySymbol.some(({ func }) => isMeant[func] === 1);
  // A function of V8, Node or a library that is named is meant, though the default folds it.
  if (flags.frames === undefined && !meant.every(isIn)) {
    level = 'all';
    report = reportAt(level);
  }
  const opened = loaded.atLevel(level);
  const shown = chooseFunctions(opened, report, symbols, meant, flags);
  const listings = await disassembleAll(opened, shown, flags.quiet === true);
  if (flags.json) {
    printJson(annotateDocument(opened, shown, listings, { event, weights, select, estimator }));
    return;
  }
  if (!flags.quiet)
    writeText(
      framesLines(opened)
        .map((line) => `${line}\n\n`)
        .join(''),
    );
  const textOf = openSourceText(opened.profile, path);
  for (const [i, each] of shown.entries()) {
    const lines = linesOf(opened, each, listings[i], { event, weights, select, estimator, textOf });
    const head = flags.quiet ? [] : [headOf(opened, each, event)];
    writeText(`${[...head, ...lines].join('\n')}\n\n`);
  }
}

/** The named functions, or the first of the report. Throws `UsageError` for a name without samples. */
function chooseFunctions(
  opened: AnalysedProfile,
  report: FlatReport,
  symbols: readonly string[],
  meant: readonly Uint8Array[],
  flags: AnnotateFlags,
): Shown[] {
  const { profile } = opened;
  const lost = lostFunc(profile);
  const rows = report.bySymbol.filter(({ func }) => func !== lost);
  const named = rows.filter(({ func }) => meant.some((isMeant) => isMeant[func] === 1));
  if (symbols.length > 0 && named.length === 0) {
    throw new UsageError(`${symbols.map(printable).join(', ')}: none of the samples is in it`, [
      'perf-ts report, with the same options, lists the functions that are in samples',
    ]);
  }
  const { percentLimit: least = 0, limit: most = DEFAULT_FUNCTIONS } = flags;
  const chosen =
    symbols.length > 0
      ? named
      : rows
          .filter(({ func, selfSamples }) => selfSamples > 0 && !isKind(profile, func))
          .slice(0, most || undefined);
  return chosen
    .filter(({ selfShare }) => selfShare >= least)
    .map(({ func, self, selfShare, total, totalShare, selfSamples }) => ({
      func: func as FuncIndex,
      name: funcLabel(profile, func),
      dso: profile.funcs.dso[func] === NONE ? '' : dsoPlace(profile.dsos[profile.funcs.dso[func]]),
      share: selfShare,
      self,
      totalShare,
      total,
      samples: selfSamples,
    }));
}

/** Whether it stands for code of a kind, which has no listing. */
function isKind({ funcs, strings }: Profile, func: number): boolean {
  return isKindOfCode(strings[funcs.name[func]], funcs.dso[func]);
}

/** Null where no assembly can be shown at all: then lines of sources are. */
async function disassembleAll(
  opened: AnalysedProfile,
  shown: readonly Shown[],
  isQuiet: boolean,
): Promise<(FunctionAssembly | null)[]> {
  const listings: (FunctionAssembly | null)[] = [];
  for (const { func } of shown) {
    try {
      listings.push(await opened.disassemble(func));
    } catch (error) {
      if (!(error instanceof FailedError)) throw error;
      if (!isQuiet && listings.length === 0) notify(`perf-ts: source lines only: ${error.message}`);
      return shown.map(() => null);
    }
  }
  return listings;
}

type Context = {
  readonly event: EventIndex;
  readonly weights: Weights;
  readonly select: SampleSelection;
  readonly estimator: ShareEstimator | null;
  readonly textOf: LineText;
};

function headOf({ profile }: AnalysedProfile, each: Shown, event: EventIndex): string {
  const isOfJit = profile.dsos[profile.funcs.dso[each.func]]?.kind === 'jit';
  const where = each.dso === '' || isOfJit ? '' : ` in ${printable(each.dso)}`;
  return (
    `# ${printable(each.name)}${where}: self ${formatShare(each.share)}, total ${formatShare(each.totalShare)} of ` +
    `${printable(profile.events[event].name)}, ${formatCount(each.samples)} samples; shares below are of the function`
  );
}

function linesOf(
  opened: AnalysedProfile,
  each: Shown,
  listing: FunctionAssembly | null,
  context: Context,
): string[] {
  const lines: string[] = [];
  const weighed = weighParts(opened, each, listing, context);
  const all = weighed.reduce((sum, { weight }) => sum + weight, 0);
  for (const { part, found } of weighed) {
    if (part.tier !== '') lines.push(`# compiled: ${printable(part.tier)}`);
    lines.push(...assemblyLines(part, found, all, context.textOf));
  }
  for (const { reason, samples } of listing?.missing ?? []) {
    lines.push(`# ${formatCount(samples)} samples without assembly: ${printable(reason)}`);
  }
  return weighed.length > 0 ? lines : [...lines, ...plainLines(opened, each, context)];
}

type WeighedPart = {
  readonly part: CodePart;
  readonly found: InstructionWeights;
  /** Weight of its instructions together, with what was inlined there. */
  readonly weight: number;
};

function weighParts(
  opened: AnalysedProfile,
  { func }: Shown,
  listing: FunctionAssembly | null,
  { event, weights, select }: Omit<Context, 'textOf'>,
): WeighedPart[] {
  const options = { event: opened.profile.events[event].name, weight: weights.kind, select };
  return (listing?.parts ?? []).map((part) => {
    const found = opened.weighInstructions(func, part, options);
    return { part, found, weight: sumOf(found.self) + sumOf(found.inlined) };
  });
}

function sumOf(column: Float64Array): number {
  return column.reduce((sum, value) => sum + value, 0);
}

/** The lines of all files that the function's frames name, heaviest first, and what has no line. */
function linesOfFunction(
  opened: AnalysedProfile,
  { func }: Shown,
  { event, weights, select, estimator }: Omit<Context, 'textOf'>,
): readonly LineShare[] {
  const { profile } = opened;
  const isMeant = new Uint8Array(profile.funcs.length);
  isMeant[func] = 1;
  const rows = opened.samplesOf(event, select);
  return finish(findLines({ profile, weights, rows, estimator }, { isMeant })).rows;
}

/** The lines of the function as text, with their parts of what has the function on the stack. */
function plainLines(opened: AnalysedProfile, each: Shown, context: Context): string[] {
  const { strings } = opened.profile;
  const rows = linesOfFunction(opened, each, context);
  const known = rows.filter(isKnownLine);
  if (known.length === 0) return ['# neither machine code nor source lines are known of it'];
  const tables = [...new Set(known.map(({ file }) => file))].flatMap((file) =>
    sourceLines(strings[file], linesOfFile(rows, file), each.total, context.textOf),
  );
  const unknown = rows.filter((row) => !isKnownLine(row));
  return [...tables, ...unknown.map((row) => unknownLine(row, each.total))];
}

function isKnownLine({ file, line }: LineShare): boolean {
  return file !== NONE && line > 0;
}

/** The source of an instruction; line 0: it has none. */
type Place = { readonly file: string | null; readonly line: number };

/** The document of `--json`: instructions and lines of each function, with weights in the unit of the event. */
export function annotateDocument(
  opened: AnalysedProfile,
  shown: readonly Shown[],
  listings: readonly (FunctionAssembly | null)[],
  context: Omit<Context, 'textOf'>,
) {
  const { weights, event } = context;
  return {
    schema: 'perf-ts/annotate@1' as const,
    event: opened.profile.events[event].name,
    weight: { kind: weights.kind, unit: weights.unit },
    functions: shown.map((each, i) => ({
      name: each.name,
      dso: each.dso,
      selfShare: each.share,
      self: each.self,
      totalShare: each.totalShare,
      total: each.total,
      selfSamples: each.samples,
      missing: listings[i]?.missing ?? null,
      lines: linesOfFunction(opened, each, context).map((row) => ({
        file: row.file === NONE ? null : opened.profile.strings[row.file],
        line: row.line === 0 ? null : row.line,
        self: row.weight,
        total: row.total,
        samples: row.samples,
        selfShare: row.share,
        selfInterval: row.interval,
      })),
      parts: weighParts(opened, each, listings[i], context).map(({ part, found }) => ({
        name: part.name,
        architecture: part.architecture,
        tier: part.tier === '' ? null : part.tier,
        instructions: part.text.map((text, row) => {
          const place: Place = part.locations[part.location[row]] ?? { file: null, line: 0 };
          return {
            address: formatAddress(part.start + part.offset[row]),
            text,
            self: found.self[row] + found.inlined[row],
            samples: found.samples[row],
            file: place.file,
            line: place.line === 0 ? null : place.line,
          };
        }),
      })),
    })),
  };
}

/**
 * Reads lines of the source files that a profile names. A file that is missing, or that not everybody may
 * read, has none.
 */
function openSourceText(profile: Profile, path: string): LineText {
  const files = new SourceFiles(profile, path);
  const rows = new Map<string, number>();
  for (const row of [...profile.funcs.file, ...profile.frames.file]) {
    if (row > 0) rows.set(profile.strings[row], row);
  }
  const texts = new Map<string, readonly string[]>();
  const linesOf = (file: string): readonly string[] => {
    const row = rows.get(file);
    if (row === undefined) return [];
    try {
      return files.read(row).split('\n');
    } catch (error) {
      if (error instanceof FailedError) return [];
      throw error;
    }
  };
  return (file, line) => {
    const lines = getOrMake(texts, file, () => linesOf(file));
    return lines[line - 1] ?? null;
  };
}
