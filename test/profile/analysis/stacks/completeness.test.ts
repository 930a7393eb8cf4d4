import { describe, expect, it } from 'vitest';
import { computeCompleteness } from '../../../../src/profile/analysis/stacks/completeness.ts';
import {
  findStackEnds,
  isRootFunc,
  markerAddress,
  TRUNCATED_FUNC_NAME,
  unmarkWholeStacks,
} from '../../../../src/profile/analysis/stacks/cut-stacks.ts';
import { MARKER_DEPTH } from '../../../../src/profile/frame-table.ts';
import { ProfileBuilder } from '../../../../src/profile/profile-builder.ts';
import type { DsoKind, Profile } from '../../../../src/profile/types.ts';
import { EMPTY_META } from '../../../helpers/profile-from-text.ts';

const CUT = 0;
const CHAIN = 1;
const UNNAMED = 2;
const REASONS = ['stack copy too short', 'frame pointers lead no further', null];
const DSOS = ['app', '[kernel.kallsyms]'] as const;

/**
 * A profile of stacks, outermost function first: `main` of the program, `k:read` of the kernel, `-`
 * in no mapping, `?` without a name, `!` the marker of a copy that was too short.
 */
function profileOf(stacks: readonly string[]): Profile {
  const builder = new ProfileBuilder();
  const addresses = new Map<string, number>();
  for (const [sample, text] of stacks.entries()) {
    let stack = -1;
    for (const word of text.split(' ')) {
      const isMarker = word === '!';
      const dso = isMarker || word === '-' ? -1 : word.startsWith('k:') ? 1 : 0;
      const address = addresses.get(word) ?? addresses.size * 16;
      addresses.set(word, address);
      const frame = isMarker
        ? builder.frames.intern(-1, markerAddress(CUT), MARKER_DEPTH)
        : builder.frames.intern(dso, address);
      const name = isMarker ? TRUNCATED_FUNC_NAME : word.replace('k:', '');
      if (word !== '?' && word !== '-') {
        builder.frames.setFunc(frame, builder.funcs.intern(builder.strings.intern(name), dso));
      }
      stack = builder.stacks.intern(stack, frame);
    }
    builder.samples.add(stack, 0, builder.strings.intern('app'), 0, -1, 0, sample, 1, Number.NaN);
  }
  return builder.finish({
    meta: EMPTY_META,
    events: [],
    dsos: DSOS.map((name, i) => {
      const kind: DsoKind = i === 1 ? 'kernel' : 'user';
      return { kind, name, path: name, buildId: null };
    }),
    threads: [{ pid: 1, tid: 1, generation: 0, comm: 'app' }],
    streams: [],
    losses: [],
  });
}

const FACTS = { rootFrames: new Uint8Array(), chainReason: CHAIN, unnamedReason: UNNAMED };

function completenessOf(stacks: readonly string[], recordsStacks = [true]) {
  const profile = profileOf(stacks);
  return computeCompleteness(profile, findStackEnds(profile, FACTS), recordsStacks, REASONS);
}

describe('completeness', () => {
  it('completeness counts stacks that begin at a root as complete', () => {
    expect(completenessOf(['_start main work', 'clone3 run', 'k:ret_from_fork', 'k:read'])).toEqual(
      {
        samples: 4,
        complete: 4,
        unknown: 0,
        cut: [],
      },
    );
  });

  it('a function that only a start calls has whole stacks, also where its caller has no name', () => {
    const stacks = [
      '? main',
      '? main work',
      '? node::Start(int,char**) run',
      '? work main',
      '? ? main',
      '?',
      '- main',
      '? worker',
    ];
    expect(completenessOf(stacks)).toMatchObject({ samples: 8, complete: 3, unknown: 4 });
  });

  it('incomplete stacks are counted by reason and by the outermost DSO that was reached', () => {
    expect(completenessOf(['! work', '! work leaf', 'work', '- work', '-', '? work'])).toEqual({
      samples: 6,
      complete: 0,
      unknown: 1,
      cut: [
        { reason: 'stack copy too short', dso: 0, samples: 2 },
        { reason: 'frame pointers lead no further', dso: 0, samples: 2 },
        { reason: 'frame pointers lead no further', dso: -1, samples: 1 },
      ],
    });
  });

  it('completeness covers the events that record stacks', () => {
    expect(completenessOf(['main'], [false])).toBe(null);
  });

  it('a frame where unwinding found the end of a stack is a root', () => {
    const profile = profileOf(['? main']);
    const rootFrames = Uint8Array.of(1);
    const ends = findStackEnds(profile, { ...FACTS, rootFrames });
    expect(computeCompleteness(profile, ends, [true], REASONS)?.complete).toBe(1);
  });

  it('a [truncated] marker is removed where the outermost function is a root', () => {
    expect(unmarked(['! _start main', '! work'])).toEqual(['_start main', '[truncated] work']);
  });

  it('a stack that loses its [truncated] marker is the one that others have without it', () => {
    expect(unmarked(['_start main', '! _start main', '! _start', '! work'])).toEqual([
      ...['_start main', '_start main', '_start'],
      '[truncated] work',
    ]);
  });
});

/** The stacks of the samples without markers at whole ones, outermost function first. */
function unmarked(drawn: string[]): string[] {
  const marked = profileOf(drawn);
  const profile = unmarkWholeStacks(marked, findStackEnds(marked, FACTS));
  const { stacks, frames, funcs, strings, samples } = profile;
  const rows = Array.from(stacks.frame, (frame, row) => `${stacks.prefix[row]} ${frame}`);
  expect(new Set(rows).size).toBe(stacks.length);
  return [...samples.stack].map((leaf) => {
    const path: string[] = [];
    for (let row = leaf; row !== -1; row = stacks.prefix[row]) {
      const func = frames.func[stacks.frame[row]];
      path.unshift(strings[funcs.name[func]]);
    }
    return path.join(' ');
  });
}

describe('a root', () => {
  it.each([
    '_start',
    'clone3',
    '__clone',
    '__libc_start_main@@GLIBC_2.34',
    '__libc_start_call_main',
    'start_thread',
    'thread_start',
    'runtime.goexit.abi0',
  ])('a root frame is %s', (name) => expect(isRootFunc(name)).toBe(true));

  it.each(['main', '_start_server', 'my_clone', 'clone_tree', 'restart'])(
    'a root frame is not %s',
    (name) => expect(isRootFunc(name)).toBe(false),
  );
});
