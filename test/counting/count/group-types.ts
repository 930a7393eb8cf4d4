import { expectTypeOf } from 'vitest';
import type { CounterGroup } from '../../../src/counting/count/counter-group.ts';
import { openGroup } from '../../../src/counting/groups/open-group.ts';

// Compiled by `npm run check` and never called: each `@ts-expect-error` is a line that must not
// compile, and the check fails where one does.

export function whatCompiles() {
  const group = openGroup(['cycles', 'instructions:u']);
  expectTypeOf(group).toEqualTypeOf<CounterGroup<'cycles' | 'instructions:u'>>();
  const { counts, value } = group.measure(() => 'text');
  expectTypeOf(counts).toEqualTypeOf<{
    readonly cycles: bigint | null;
    readonly 'instructions:u': bigint | null;
  }>();
  expectTypeOf(value).toEqualTypeOf<string>();
  // @ts-expect-error: it was not asked for
  counts['cache-misses'];
  // @ts-expect-error: as it was asked for, not as it is called otherwise
  counts.instructions;
  // @ts-expect-error: a count may be missing
  counts.cycles + 1n;

  const later = group.measure(async () => 5);
  expectTypeOf<Awaited<typeof later>['value']>().toEqualTypeOf<number>();
  expectTypeOf<Awaited<typeof later>['shared']>().toEqualTypeOf<boolean>();

  const named = openGroup({ faults: 'page-faults', 'slow path': 'r003c' }, { pid: 1 });
  expectTypeOf(named).toEqualTypeOf<CounterGroup<'faults' | 'slow path'>>();
  // @ts-expect-error: the key is what counts are told by, not the event
  named.read().counts['page-faults'];

  const events = ['cycles', 'branches'] as const;
  expectTypeOf(openGroup(events)).toEqualTypeOf<CounterGroup<'cycles' | 'branches'>>();
  const chosen: Record<string, string> = {};
  expectTypeOf(openGroup(chosen)).toEqualTypeOf<CounterGroup<string>>();
}

export function whatDoesNotCompile() {
  // @ts-expect-error: a group has at least one event
  openGroup([]);
  // @ts-expect-error: also in the form of an object
  openGroup({});
  // @ts-expect-error: asked for twice
  openGroup(['cycles', 'cycles']);
  // @ts-expect-error: asked for twice, far apart
  openGroup(['cycles', 'instructions', 'branches', 'instructions']);
  const twice = ['cs', 'cs'] as const;
  // @ts-expect-error: asked for twice, by name
  openGroup(twice);
  const some: string[] = ['cycles'];
  // @ts-expect-error: may be empty
  openGroup(some);
  // @ts-expect-error: there is no such option
  openGroup(['cycles'], { pids: 1 });
}
