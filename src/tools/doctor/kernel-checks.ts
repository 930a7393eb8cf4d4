import { type Check, passed } from './check.ts';
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
  const fix = [`boot Linux ${OLDEST_KERNEL.join('.')} or later`];
  return { name: 'kernel', state: 'warn', found: `Linux ${kernel}`, matters, fix };
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
  return [
    features.inheritedRead
      ? passed('counts-with-inherit', 'READ with inherit opens', COUNTS_MATTER)
      : {
          name: 'counts-with-inherit',
          state: 'warn',
          found: 'READ with inherit is refused (Linux 6.12 brought it)',
          matters: COUNTS_MATTER,
          fix: ['record --counts --no-inherit, for the first thread alone; or boot Linux 6.12'],
        },
    features.lost
      ? passed('lost-counts', 'PERF_FORMAT_LOST opens', LOSS_MATTERS)
      : {
          name: 'lost-counts',
          state: 'warn',
          found: 'PERF_FORMAT_LOST is refused (Linux 6.0 brought it)',
          matters: LOSS_MATTERS,
          fix: ['boot Linux 6.0 or later; until then LOST records are a lower bound'],
        },
    features.buildId
      ? passed('build-ids', 'MMAP2 records with build_id open', BUILD_IDS_MATTER)
      : {
          name: 'build-ids',
          state: 'warn',
          found: 'build_id in MMAP2 records is refused (Linux 5.12 brought it)',
          matters: BUILD_IDS_MATTER,
          fix: ['after recording: perf-ts inject --build-ids -o FILE; or boot Linux 5.12'],
        },
  ];
}

const COUNTS_MATTER = 'record --counts then covers threads and children, and weights are counted';
const BUILD_IDS_MATTER = 'they tell whether a file is still the one that was recorded';
const LOSS_MATTERS = 'it says how many samples were lost, also where no record fits any more';
