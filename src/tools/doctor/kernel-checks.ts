import { type Check, passed, warning } from './check.ts';
import type { MachineState } from './machine-state.ts';

/** The oldest kernel that is meant to work. */
const OLDEST_KERNEL = [5, 4] as const;

/** The program, the kernel, and what that kernel's perf_event_open takes. */
export function checkKernel(state: MachineState): Check[] {
  return [checkPlatform(state), checkAddon(state), ...checkFeatures(state)];
}

function checkPlatform({ platform, kernel }: MachineState): Check {
  const matters = 'recording uses perf_event_open as of Linux 5.4';
  if (platform !== 'linux') {
    return {
      name: 'kernel',
      state: 'fail',
      found: `this is ${platform}`,
      matters,
      fix: ['record on Linux; reading and exporting recordings works here'],
    };
  }
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  const isOld =
    major < OLDEST_KERNEL[0] || (major === OLDEST_KERNEL[0] && minor < OLDEST_KERNEL[1]);
  if (!isOld) return passed('kernel', `Linux ${kernel}`, matters);
  return warning('kernel', `Linux ${kernel}`, matters, [
    `boot Linux ${OLDEST_KERNEL.join('.')} or later`,
  ]);
}

function checkAddon({ addonProblem }: MachineState): Check {
  const matters = 'it opens the events and drains their rings';
  if (addonProblem === null) return passed('addon', 'the native addon loads', matters);
  const { message, fix } = addonProblem;
  return { name: 'addon', state: 'fail', found: message, matters, fix };
}

function checkFeatures({ features, opens }: MachineState): Check[] {
  // If no event could be opened, the kernel's features are unknown.
  if (features === null || opens?.ownUser !== '') return [];
  return FEATURES.map(({ feature, name, opens, refused, matters, fix }) =>
    features[feature] ? passed(name, opens, matters) : warning(name, refused, matters, [fix]),
  );
}

const FEATURES = [
  {
    feature: 'inheritedRead',
    name: 'counts-with-inherit',
    opens: 'READ with inherit opens',
    refused: 'READ with inherit is refused (Linux 6.12 brought it)',
    matters: 'record --counts then covers threads and children, and weights are counted',
    fix: 'record --counts --no-inherit, for the first thread alone; or boot Linux 6.12',
  },
  {
    feature: 'lost',
    name: 'lost-counts',
    opens: 'PERF_FORMAT_LOST opens',
    refused: 'PERF_FORMAT_LOST is refused (Linux 6.0 brought it)',
    matters: 'it says how many samples were lost, also where no record fits any more',
    fix: 'boot Linux 6.0 or later; until then LOST records are a lower bound',
  },
  {
    feature: 'buildId',
    name: 'build-ids',
    opens: 'MMAP2 records with build_id open',
    refused: 'build_id in MMAP2 records is refused (Linux 5.12 brought it)',
    matters: 'they tell whether a file is still the one that was recorded',
    fix: 'after recording: perf-ts inject --build-ids -o FILE; or boot Linux 5.12',
  },
] as const;
