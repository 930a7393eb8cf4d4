import { NONE } from '../../src/base/brand.ts';
import type { CallTree } from '../../src/profile/analysis/trees/call-tree.ts';
import type { Profile } from '../../src/profile/types.ts';

/**
 * A call tree as a drawing, children in row order:
 *
 *     main 0/10
 *       work 4/10          name self/total
 *         leaf 6/6
 */
export function formatTree(profile: Profile, tree: CallTree): string {
  const lines: string[] = [];
  const visit = (parent: number, indent: string) => {
    for (let row = 0; row < tree.length; row++) {
      if (tree.prefix[row] !== parent) continue;
      const name =
        tree.root[row] === NONE
          ? profile.strings[profile.funcs.name[tree.group[row]]]
          : `(root ${tree.root[row]})`;
      lines.push(`${indent}${name} ${tree.self[row]}/${tree.total[row]}`);
      visit(row, `${indent}  `);
    }
  };
  visit(NONE, '');
  return lines.join('\n');
}

/** `text` without its common indentation and outer blank lines, for drawing expectations. */
export function outdent(text: string): string {
  const lines = text.replace(/^\n|\n\s*$/g, '').split('\n');
  const depth = Math.min(
    ...lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)),
  );
  return lines.map((line) => line.slice(depth)).join('\n');
}
