import type { Profile } from '../../src/profile/types.ts';

/** The stack of each sample, outermost function first: `main > work`. */
export function stackNames({ samples, stacks, frames, funcs, strings }: Profile): string[] {
  return Array.from(samples.stack, (leaf) => {
    const names: string[] = [];
    for (let row = leaf; row >= 0; row = stacks.prefix[row]) {
      const func = frames.func[stacks.frame[row]];
      names.unshift(strings[funcs.name[func]]);
    }
    return names.join(' > ');
  });
}

/** A drawing for `profileFromText` with one sample of each stack. */
export function drawStacks(...columns: readonly (readonly string[])[]): string {
  const width = Math.max(...columns.flat().map((cell) => cell.length)) + 2;
  const depth = Math.max(...columns.map(({ length }) => length));
  const lines = Array.from({ length: depth }, (_, row) =>
    columns.map((cells) => (cells[row] ?? '-').padEnd(width)).join(''),
  );
  return lines.join('\n');
}
