import { printable } from '../../base/printable.ts';
import { levelOfTable } from '../../code/levels/levels-of.ts';
import { computeFlatReport } from '../../profile/analysis/flat-report.ts';
import type { RatioEstimate } from '../../profile/analysis/shares/group-ratios.ts';
import { isOfGroup } from '../../profile/analysis/shares/ratios.ts';
import { fileAndName, funcLabel } from '../../profile/func-label.ts';
import { shortName } from '../../profile/short-name.ts';
import type { OpenedProfile } from '../../read/open-profile.ts';
import {
  type FunctionRatios,
  functionRatios,
  ratiosByKeys,
} from '../../read/outputs/function-ratios.ts';
import { funcPlace } from './func-place.ts';
import {
  type GroupedOptions,
  groupedReport,
  keyTitle,
  namesJson,
  shownNames,
} from './grouped-report.ts';
import { ratioLines, type ShownRatios } from './ratio-table.ts';
import { type ReportFlags, selectRows, type View } from './report-rows.ts';

/** Ratios are of counted events, and of all that were compared. */
function hasRatios({ event, weight = 'events', tree }: ReportFlags, { fields }: View): boolean {
  return event === undefined && weight === 'events' && tree !== true && fields === null;
}

/** The lines of the ratios of events, by the report's rows; none where no two events are compared. */
export function ratioSection(
  opened: OpenedProfile,
  options: GroupedOptions,
  flags: ReportFlags,
  view: View,
): { heads: string[]; above: string[]; table: string[]; below: string[] }[] {
  if (!hasRatios(flags, view)) return [];
  const { limits, order } = view;
  const isByFunction = order.kind === 'plain' && order.key === 'sym';
  const found =
    options.byTotal === true && isByFunction
      ? totalsOfFunctions(opened, view)
      : ratiosOfRows(opened, options);
  if (found === null || found.rows.length === 0) return [];
  const { ratios, rows } = found;
  const sorted = rows.filter(({ share }) => share > 0).sort((a, b) => b.share - a.share);
  const shown = selectRows(
    sorted.map((row) => ({ ...row, totalShare: row.share })),
    limits,
  );
  const lines = ratioLines(opened.profile, ratios, options.keys.map(keyTitle), shown);
  return [{ heads: [], below: [], ...lines }];
}

type Found = { readonly ratios: FunctionRatios['ratios']; readonly rows: readonly ShownRatios[] };

function ratiosOfRows(opened: OpenedProfile, options: GroupedOptions): Found | null {
  const found = ratiosByKeys(opened, options.keys, options.select);
  if (found === null) return null;
  const shares = new Map(
    groupedReport(opened, found.ratios[0].whole, options).rows.map(({ names, selfShare }) => [
      names.join('\0'),
      selfShare,
    ]),
  );
  const shown = shownNames(
    opened.profileAt(levelOfTable(options.keys, opened.facts.frames)),
    options.keys,
  );
  const rows = found.rows.map(({ names, estimates }) => ({
    names: shown(names),
    estimates,
    share: shares.get(names.join('\0')) ?? 0,
  }));
  return { ratios: found.ratios, rows };
}

function totalsOfFunctions(opened: OpenedProfile, { select }: View): Found | null {
  const found = functionRatios(opened, select);
  if (found === null) return null;
  const { profile } = opened;
  const event = found.ratios[0].whole;
  const weights = opened.weights('events', event, select);
  const report = computeFlatReport(profile, weights, opened.samplesOf(event, select));
  const rows = report.bySymbol.map(({ func, totalShare }) => ({
    names: fileAndName(profile, func).map((name) => printable(shortName(name))),
    share: totalShare,
    estimates: found.total.map((estimates) => estimates[func]),
  }));
  return { ratios: found.ratios, rows };
}

/** The ratios in the document of `--json`: by function, or by the keys of `--sort`. */
export function ratiosJson(opened: OpenedProfile, flags: ReportFlags, view: View) {
  if (!hasRatios(flags, view)) return [];
  const { profile } = opened;
  const { order, select } = view;
  const nameOf = (event: number): string => profile.events[event].name;
  const head = (ratio: FunctionRatios['ratios'][number]) => ({
    metric: ratio.name,
    part: nameOf(ratio.part),
    whole: nameOf(ratio.whole),
    per: ratio.per,
    isOfGroup: isOfGroup(profile, ratio),
    ofAll: ratio.ofAll,
  });
  if (order.kind === 'grouped') {
    const { keys } = order;
    const found = ratiosByKeys(opened, keys, select);
    if (found === null) return [];
    return found.ratios.map((ratio, i) => ({
      ...head(ratio),
      rows: found.rows.map(({ names, estimates }) => ({
        ...namesJson(keys, names),
        ...estimateJson('self', estimates[i]),
      })),
    }));
  }
  const found = order.key === 'sym' ? functionRatios(opened, select) : null;
  if (found === null) return [];
  const { funcs, dsos } = profile;
  return found.ratios.map((ratio, i) => ({
    ...head(ratio),
    rows: found.funcs.map((func) => ({
      name: funcLabel(profile, func),
      dso: dsos[funcs.dso[func]]?.name ?? '[unknown]',
      ...funcPlace(profile, func),
      ...estimateJson('self', found.self[i][func]),
      ...estimateJson('total', found.total[i][func]),
    })),
  }));
}

/** `self`, `selfLow`, `selfHigh`, `selfUnknown`. */
function estimateJson<Of extends 'self' | 'total'>(
  of: Of,
  { value, low, high, reason }: RatioEstimate,
) {
  return {
    [of]: value,
    [`${of}Low`]: low,
    [`${of}High`]: high,
    [`${of}Unknown`]: reason,
  } as Record<Of | `${Of}Low` | `${Of}High`, number | null> &
    Record<`${Of}Unknown`, RatioEstimate['reason']>;
}
