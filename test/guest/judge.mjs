// Holds one measured case against what is known of it. Every check says what it saw.

import { knownRule } from './cases.mjs';

/** Our share / true share, or its inverse: reach of the default weight. */
const MAX_SHARE_ERROR = 1.03;
const MIN_EFFECTIVE_SAMPLES = 400;
const MIN_WITHIN_1_PERCENT = 0.95;

/** Checks of a case: `{ what, passed, saw }`, `passed` null where nothing is known to compare. */
export function judgeCase(one, result, arch) {
  if (result.failed !== undefined) return [{ what: 'recorded', passed: false, saw: result.failed }];
  const known = knownRule(one.event, arch);
  return [
    checkCounts(one, result),
    checkRule(result, known),
    checkFit(result, known),
    checkSum(result),
    checkLedger(result),
    checkShares(one, result),
    checkModel(result),
  ];
}

/** Counts where they were asked for, or a notice that says why not. */
function checkCounts(one, { hasCounts, notices }) {
  const reported = notices.some((notice) => notice.includes('without --counts'));
  const passed = one.counts ? hasCounts !== reported : !hasCounts;
  return {
    what: 'counts',
    passed,
    saw: hasCounts ? 'read' : reported ? 'refused, and said so' : 'not asked',
  };
}

function checkRule({ rule, hasCounts }, known) {
  const saw = `${rule.rule} (${rule.from}, ${rule.confidence.toFixed(2)})`;
  if (known === null) return { what: 'rule', passed: null, saw };
  const passed = rule.rule === known || (!hasCounts && rule.rule === 'unknown');
  return { what: 'rule', passed, saw };
}

/** The fit must not contradict what is known, or else the counts. */
function checkFit({ fit, rule }, known) {
  const truth = known ?? (rule.from === 'counts' ? rule.rule : null);
  const saw = `${fit.rule} (z ${fit.z.toFixed(1)}, noise ${fit.noise.toPrecision(2)})`;
  return { what: 'fit', passed: truth && (fit.rule === truth || fit.rule === 'unknown'), saw };
}

/** Σ weights is what the counters said at the last sample of every stream. */
function checkSum({ hasCounts, lostSamples, weighed, lastCounts, counted }) {
  const tail = counted === null ? null : counted - weighed;
  const saw = `${weighed} weighed, ${counted} counted, tail ${tail}`;
  if (!hasCounts || lostSamples > 0) return { what: 'sum', passed: null, saw };
  return { what: 'sum', passed: weighed === lastCounts && tail >= 0, saw };
}

function checkLedger({ ledger, lostSamples }) {
  const unaccounted = ledger?.unaccounted ?? null;
  return {
    what: 'ledger',
    passed: unaccounted === null ? null : unaccounted === 0,
    saw: `${unaccounted} unaccounted, ${lostSamples} samples lost`,
  };
}

function checkShares(one, { self, effectiveSamples, lostSamples }) {
  const allTrue = Object.values(one.shares).reduce((sum, part) => sum + part, 0);
  const all = Object.values(self).reduce((sum, part) => sum + part, 0);
  let worst = 1;
  for (const [name, part] of Object.entries(one.shares)) {
    const ratio = self[name] / all / (part / allTrue);
    // No sample of a function at all is an infinite error.
    worst = Math.max(worst, ratio, 1 / ratio);
  }
  const saw = `${worst.toFixed(3)}× with ${effectiveSamples.toFixed(0)} effective samples`;
  const isEnough = effectiveSamples >= MIN_EFFECTIVE_SAMPLES && lostSamples === 0;
  return { what: 'shares', passed: isEnough ? worst <= MAX_SHARE_ERROR : null, saw };
}

function checkModel({ models, lostSamples }) {
  const sum = (key) => models.reduce((all, model) => all + model[key], 0);
  const compared = sum('compared');
  if (!(compared > 0)) return { what: 'model', passed: null, saw: 'nothing compared' };
  const within = sum('within1Percent') / compared;
  const saw = `${(100 * within).toFixed(1)} % within 1 %, ${((100 * sum('exact')) / compared).toFixed(1)} % exact, of ${compared}`;
  const passed = lostSamples > 0 ? null : within >= MIN_WITHIN_1_PERCENT;
  return { what: 'model', passed, saw };
}
