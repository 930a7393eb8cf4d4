// The time of JavaScript as a profile shows it: whose it is, and how much of it has no name or no line.

import { FUNC_CATEGORIES } from '../../dist/profile/types.js';

const OWNERS = ['user code', 'dependency', 'node internal', 'unknown'];
const MODULES = '/node_modules/';

/**
 * Counts samples by their innermost function of JavaScript. `isOwn` tells by hand whether a file of this path is the
 * program's; null for one that is not looked at.
 */
export function countSelf(profile, isOwn) {
  const { samples, frames, funcs, strings, dsos } = profile;
  const counts = {
    ...{ samples: samples.length, inJavaScript: 0, unnamed: 0 },
    owners: Object.fromEntries(OWNERS.map((owner) => [owner, 0])),
    own: newCounts(),
    dependency: newCounts(),
    ...{ placed: 0, ownerWrong: 0 },
  };
  const rows = new Map();
  for (let i = 0; i < samples.length; i++) {
    const frame = innermost(profile, samples.stack[i]);
    if (frame < 0) continue;
    const func = frames.func[frame];
    const name = strings[funcs.name[func]];
    if (funcs.isScript[func] === 0) {
      if (dsos[funcs.dso[func]]?.kind === 'jit' && name === '[unknown]') {
        counts.inJavaScript++;
        counts.unnamed++;
      }
      continue;
    }
    counts.inJavaScript++;
    const owner = FUNC_CATEGORIES[funcs.category[func]];
    counts.owners[owner] = (counts.owners[owner] ?? 0) + 1;
    const path = funcs.file[func] < 0 ? '' : strings[funcs.file[func]];
    const wanted = path === '' ? null : isOwn(path);
    if (wanted !== null) counts.placed++;
    const isWrong = wanted !== null && wanted !== (owner === 'user code' ? 'own' : owner);
    if (isWrong) counts.ownerWrong++;
    const row = rows.get(func) ?? { name, owner, path, count: 0, isWrong };
    row.count++;
    rows.set(func, row);
    const kind =
      owner === 'user code' ? counts.own : owner === 'dependency' ? counts.dependency : null;
    if (kind === null) continue;
    kind.all++;
    if (name.startsWith('(anonymous)')) kind.anonymous++;
    if (path === '') kind.withoutFile++;
    if (frames.line[frame] <= 0) kind.withoutLine++;
  }
  return { ...counts, rows: [...rows.values()].sort((a, b) => b.count - a.count) };
}

const newCounts = () => ({ all: 0, anonymous: 0, withoutFile: 0, withoutLine: 0 });

/** The innermost frame of JavaScript, or of JIT code without a name; -1 where the stack has none. */
function innermost({ stacks, frames, funcs, dsos, strings }, stack) {
  for (let row = stack; row >= 0; row = stacks.prefix[row]) {
    const frame = stacks.frame[row];
    const func = frames.func[frame];
    if (funcs.isScript[func] === 1) return frame;
    const isUnnamed = strings[funcs.name[func]] === '[unknown]';
    if (isUnnamed && dsos[funcs.dso[func]]?.kind === 'jit') return frame;
  }
  return -1;
}

/** By hand: files of `own` are the program's, Node's are Node's, and all else is others'. */
export function ownersByHand(folder, { own }) {
  return (path) => {
    if (/^(?:node:|internal\/)/.test(path)) return 'node internal';
    if (path.includes('/dist/register/')) return null;
    const inFolder = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : null;
    if (path.includes(MODULES) || inFolder === null) return 'dependency';
    return own === undefined || own.test(inFolder) ? 'own' : 'dependency';
  };
}
