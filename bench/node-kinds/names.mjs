// Whether the names of JavaScript in a profile are right: the source file that a frame names is parsed
// with TypeScript's parser, which says whether a function of that name begins on that line.

import { existsSync, readFileSync } from 'node:fs';

const CATEGORIES = ['native', 'kernel', 'user code', 'dependency', 'node internal', 'V8'];
const PLACE = /:(\d+)(?::\d+)?$/;

/** A checker of functions; `ts` is the module `typescript` (5.x). */
export class NameChecker {
  #ts;
  #files = new Map();

  constructor(ts) {
    this.#ts = ts;
  }

  /**
   * 'right', 'wrong', or 'no line' for a function of a profile; null for what is no JavaScript of a file.
   * What the label shows counts, not the columns beside it.
   */
  check({ funcs, strings }, func) {
    if (funcs.file[func] < 0) return null;
    const path = strings[funcs.file[func]];
    if (path.startsWith('node:') || path.includes('/dist/register/')) return null;
    const label = strings[funcs.name[func]];
    const line = PLACE.exec(label)?.[1];
    if (line === undefined) return 'no line';
    const functions = this.#functionsOf(path);
    // Maps of dependencies may name sources that were not published: these can't be looked at.
    if (functions === null)
      return CATEGORIES[funcs.category[func]] === 'user code' ? 'wrong' : null;
    return isOneOf(nameIn(label, path), functions.get(Number(line))) ? 'right' : 'wrong';
  }

  #functionsOf(path) {
    let functions = this.#files.get(path);
    if (functions === undefined) {
      functions = existsSync(path) ? this.#parse(path) : null;
      this.#files.set(path, functions);
    }
    return functions;
  }

  /** Lines -> names of the functions that begin there; '' is an anonymous one. */
  #parse(path) {
    const ts = this.#ts;
    const text = readFileSync(path, 'utf8');
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    const functions = new Map([[1, new Set(['(module)', '(anonymous)', ''])]]);
    const add = (from, to, names) => {
      const last = source.getLineAndCharacterOfPosition(to).line + 1;
      for (let line = source.getLineAndCharacterOfPosition(from).line + 1; line <= last; line++) {
        if (!functions.has(line)) functions.set(line, new Set());
        for (const name of names) functions.get(line).add(name);
      }
    };
    const visit = (node) => {
      if (ts.isFunctionLike(node) && node.body !== undefined) {
        const parameters =
          node.parameters.length > 0 ? node.parameters[0].getStart() : node.parameters.pos;
        add(node.getStart(), parameters, namesOf(ts, node));
      } else if (ts.isClassLike(node)) {
        const name = node.name?.text ?? inferred(ts, node);
        add(node.getStart(), node.members.pos, [
          name,
          '<instance_members_initializer>',
          '<static_initializer>',
        ]);
        for (const member of node.members) {
          add(member.getStart(), member.getStart(), [
            '<instance_members_initializer>',
            '<static_initializer>',
          ]);
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    return functions;
  }
}

/** `handle` of `handle src/server.ts:12`, whose file is `path`. */
function nameIn(label, path) {
  const named = label.replace(PLACE, '');
  for (let at = named.indexOf(' '); at >= 0; at = named.indexOf(' ', at + 1)) {
    if (at + 1 < named.length && path.endsWith(named.slice(at + 1))) return named.slice(0, at);
  }
  return named;
}

function namesOf(ts, node) {
  if (ts.isConstructorDeclaration(node)) {
    return [node.parent.name?.text ?? inferred(ts, node.parent)];
  }
  const own = node.name === undefined ? inferred(ts, node) : nameText(ts, node.name);
  const accessor = ts.isGetAccessor(node) ? 'get ' : ts.isSetAccessor(node) ? 'set ' : '';
  return [own, `${accessor}${own}`];
}

const isDefault = (ts, node) =>
  node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword) === true;
const nameText = (ts, name) => (ts.isComputedPropertyName(name) ? '*' : name.text);

/** The name of what an anonymous function is assigned to; V8 uses the last part of it, or all. */
function inferred(ts, node) {
  let { parent } = node;
  while (parent && (ts.isParenthesizedExpression(parent) || ts.isAsExpression?.(parent)))
    parent = parent.parent;
  if (parent === undefined) return '';
  if (
    ts.isVariableDeclaration(parent) ||
    ts.isPropertyDeclaration(parent) ||
    ts.isBindingElement(parent) ||
    ts.isParameter(parent)
  ) {
    return ts.isIdentifier(parent.name) || parent.name.text !== undefined ? parent.name.text : '';
  }
  if (ts.isPropertyAssignment(parent)) return nameText(ts, parent.name);
  if (ts.isExportAssignment(parent) || isDefault(ts, node)) return 'default';
  if (ts.isBinaryExpression(parent) && parent.right.pos <= node.pos) {
    const { left } = parent;
    if (ts.isPropertyAccessExpression(left)) return left.name.text;
    return ts.isIdentifier(left) ? left.text : '*';
  }
  return '';
}

/**
 * V8 writes inferred names with what stands before them (`Parser.pp.next`, `exports.drive`); an anonymous
 * function is one that begins there, whatever the parser would call it: V8 infers fewer names.
 */
function isOneOf(name, names) {
  if (names === undefined) return false;
  if (name === '(anonymous)' || names.has(name)) return true;
  const last = name.slice(name.lastIndexOf('.') + 1);
  return names.has(last) || names.has('*') || (name.includes('.') && names.has(''));
}

const share = (part, all) => (all === 0 ? null : part / all);

/** Counts the frames of all samples' stacks. `checker` as above; shares are null where there is nothing. */
export function countNames(profile, checker) {
  const { samples, stacks, frames, funcs, strings, dsos } = profile;
  const weights = new Float64Array(stacks.length);
  for (let i = 0; i < samples.length; i++) if (samples.stack[i] >= 0) weights[samples.stack[i]]++;
  for (let i = stacks.length - 1; i >= 0; i--) {
    if (stacks.prefix[i] >= 0) weights[stacks.prefix[i]] += weights[i];
  }
  const perFunc = new Float64Array(funcs.length);
  for (let i = 0; i < stacks.length; i++) perFunc[frames.func[stacks.frame[i]]] += weights[i];
  const own = { right: 0, wrong: 0, 'no line': 0 };
  const all = { right: 0, wrong: 0, 'no line': 0 };
  const jit = { named: 0, unnamed: 0 };
  const wrong = [];
  for (let func = 0; func < funcs.length; func++) {
    const name = strings[funcs.name[func]];
    if (dsos[funcs.dso[func]]?.kind === 'jit')
      jit[name === '[unknown]' ? 'unnamed' : 'named'] += perFunc[func];
    const verdict = checker.check(profile, func);
    if (verdict === null) continue;
    all[verdict] += perFunc[func];
    const isOwn = CATEGORIES[funcs.category[func]] === 'user code';
    if (isOwn) own[verdict] += perFunc[func];
    if (verdict !== 'right') wrong.push({ count: perFunc[func], name, verdict, isOwn });
  }
  const sum = (counts) => counts.right + counts.wrong + counts['no line'];
  return {
    samples: samples.length,
    own: share(own.right, sum(own)),
    ownWrong: share(own.wrong, sum(own)),
    ownFrames: sum(own),
    all: share(all.right, sum(all)),
    allWrong: share(all.wrong, sum(all)),
    unnamed: share(jit.unnamed, jit.named + jit.unnamed),
    wrong: wrong.sort((a, b) => b.count - a.count).slice(0, 6),
  };
}

/** The innermost frame of JavaScript of each sample: is it named, unnamed code, or the interpreter? */
export function countInnermost({ samples, stacks, frames, funcs, strings, dsos }) {
  const counts = { named: 0, unnamed: 0, interpreter: 0 };
  for (let i = 0; i < samples.length; i++) {
    for (let stack = samples.stack[i]; stack >= 0; stack = stacks.prefix[stack]) {
      const func = frames.func[stacks.frame[stack]];
      const name = strings[funcs.name[func]];
      const isInterpreter = name === '[interpreter]';
      if (!isInterpreter && dsos[funcs.dso[func]]?.kind !== 'jit') continue;
      counts[isInterpreter ? 'interpreter' : name === '[unknown]' ? 'unnamed' : 'named']++;
      break;
    }
  }
  const compiled = counts.named + counts.unnamed;
  return {
    compiled: share(counts.named, compiled),
    javascript: share(counts.named, compiled + counts.interpreter),
    inJavaScript: compiled + counts.interpreter,
  };
}
