import { PERF_COUNT_SW, PERF_TYPE } from '../../base/event-type.ts';
import type { NamedOption } from '../../base/words.ts';
import type { EventAttr } from '../../kernel/perf-event/attr.ts';
import { PERF_SAMPLE } from '../../kernel/perf-event/constants.ts';
import { FIELDS, RECORD } from '../../options/record.ts';

/** Something that an attr can ask for and that the oldest kernel of perf-ts, Linux 5.4, does not have. */
export type LaterFeature = {
  /** The user's name of it. */
  readonly name: string | NamedOption;
  /** The version that brought it: `5.11`. */
  readonly since: string;
};

/** The part of an attr that such features are in. */
export type AskedAttr = Pick<EventAttr, 'type' | 'config' | 'sampleType'>;

type Version = readonly [major: number, minor: number];

/** Features that `kernel-features.ts` does not look for, because a user asks for them by name. */
const LATER_FEATURES: readonly {
  readonly name: string | NamedOption;
  readonly since: Version;
  readonly isIn: (attr: AskedAttr) => boolean;
}[] = [
  { name: RECORD.cgroups, since: [5, 7], isIn: samples(PERF_SAMPLE.CGROUP) },
  { name: FIELDS.dataPageSizes, since: [5, 11], isIn: samples(PERF_SAMPLE.DATA_PAGE_SIZE) },
  { name: FIELDS.codePageSizes, since: [5, 11], isIn: samples(PERF_SAMPLE.CODE_PAGE_SIZE) },
  {
    name: 'cgroup-switches',
    since: [5, 13],
    isIn: ({ type, config }) =>
      type === PERF_TYPE.SOFTWARE && config === BigInt(PERF_COUNT_SW.CGROUP_SWITCHES),
  },
];

function samples(bit: number): (attr: AskedAttr) => boolean {
  return ({ sampleType }) => (sampleType & bit) !== 0;
}

/**
 * Names what a refused attr asks for and a kernel of this release (`5.10.0-32-cloud-amd64`) is too old for;
 * null where it is not. Distributions port features back to older kernels, so that a version alone
 * does not state that one is missing: only an attr that does not open is to be looked at.
 */
export function findLaterFeature(attr: AskedAttr, release: string): LaterFeature | null {
  const [major = 0, minor = 0] = release.split('.').map(Number);
  const missing = LATER_FEATURES.find(({ since, isIn }) => {
    const isOlder = major < since[0] || (major === since[0] && minor < since[1]);
    return isOlder && isIn(attr);
  });
  return missing === undefined ? null : { name: missing.name, since: missing.since.join('.') };
}
