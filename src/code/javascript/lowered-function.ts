import { lastName, withoutWrapping } from './call-text.ts';
import {
  isFunction,
  nameIn,
  nodeIn,
  nodesIn,
  type SyntaxNode,
  type SyntaxParents,
} from './syntax-tree.ts';

/**
 * Helpers of TypeScript, tslib, esbuild, SWC and Babel that run the body of an async function or of a
 * generator, which the compiler has made a function of its own:
 *
 *     function load() {                                            function load() {
 *       return __awaiter(this, void 0, void 0, function* () {…}      return _load.apply(this, arguments);
 *     }                                                            }
 *                                                                  function _load() {
 *                                                                    _load = _asyncToGenerator(function* () {…});
 */
const HELPER =
  /^_+(?:awaiter|generator|async|asyncGenerator|async_generator|asyncToGenerator|async_to_generator|wrapAsyncGenerator|wrap_async_generator|ts_generator)\d*$/;
/** `regeneratorRuntime.mark`, `_regenerator().w`: what Babel lowers generators to. */
const REGENERATOR = /^_*regenerator(?:Runtime|_runtime)?\d*$/i;

/** Whether a call runs the body of a lowered function that is given to it. */
export function isLoweringCall(call: SyntaxNode): boolean {
  const callee = nodeIn(call, 'callee');
  if (call.type !== 'CallExpression' || callee === null) return false;
  const bare = withoutWrapping(callee);
  const name = lastName(bare) ?? '';
  if (HELPER.test(name) || isRunWith(call, bare)) return true;
  if (bare.type !== 'MemberExpression') return false;
  const object = withoutWrapping(nodeIn(bare, 'object') ?? bare);
  const maker = object.type === 'CallExpression' ? nodeIn(object, 'callee') : object;
  const of = maker === null ? '' : (lastName(maker) ?? '');
  // Modules of one helper: `_asyncToGenerator2.default`, `_async_to_generator._`.
  if (name === 'default' || name === '_') return HELPER.test(of);
  return REGENERATOR.test(of) && /^(?:mark|wrap|m|w)$/.test(name);
}

/**
 * Whether a helper whose name was made short is given a body as `__awaiter` and `__async` are: `r(this, null,
 * function* () {…})`.
 */
function isRunWith(call: SyntaxNode, callee: SyntaxNode): boolean {
  const given = nodesIn(call, 'arguments');
  const body = given.at(-1);
  if (callee.type !== 'Identifier' || given.length < 3 || body?.generator !== true) return false;
  return (
    given.slice(1, -1).every(isNothing) &&
    (given[0].type === 'ThisExpression' || isNothing(given[0]))
  );
}

/** `null`, `void 0`, `arguments`: what helpers are given where the body needs none. */
function isNothing(node: SyntaxNode): boolean {
  if (node.type === 'Literal') return node.value === null;
  if (node.type === 'UnaryExpression') return node.operator === 'void';
  return node.type === 'Identifier' && node.name === 'arguments';
}

/**
 * The function of the source that a lowered body is of, or the expression in whose place it stood. `call` is the
 * helper's, in a tree that a compiler wrote.
 */
export function loweredFrom(call: SyntaxNode, parents: SyntaxParents): SyntaxNode {
  let value = call;
  let parent = parents.of(value);
  // `_asyncToGenerator(function* () {…})()`, `_asyncToGenerator(_regenerator().m(function () {…})).call(this)`
  while (parent !== null && isAround(parent, value)) {
    value = parent;
    parent = parents.of(value);
  }
  const around = parents.functionAround(value);
  if (parent === null || around === null) return value;
  if (parent.type === 'ReturnStatement' || (isFunction(parent) && parent.body === value)) {
    return around;
  }
  if (parent.type === 'AssignmentExpression') {
    const target = nameIn(parent, 'left');
    const ownName = nameIn(around, 'id');
    if (target !== null && target === ownName) return siblingOf(around, parents) ?? around;
  }
  return parent.type === 'VariableDeclarator'
    ? (wrapperOf(value, around, parents) ?? value)
    : value;
}

/** Whether a node calls `value`, has its method `call` or `apply`, or is a helper's call. */
function isAround(node: SyntaxNode, value: SyntaxNode): boolean {
  if (node.type === 'CallExpression') return node.callee === value || isLoweringCall(node);
  return (
    node.type === 'MemberExpression' &&
    node.object === value &&
    /^(?:call|apply)$/.test(lastName(node) ?? '')
  );
}

/** The function beside `function _load` that does nothing but return `_load.apply(this, arguments)`. */
function siblingOf(helper: SyntaxNode, parents: SyntaxParents): SyntaxNode | null {
  const name = nameIn(helper, 'id');
  const parent = parents.of(helper);
  const list = parent?.type.startsWith('Export') ? parents.of(parent) : parent;
  const siblings = list == null ? [] : nodesIn(list, 'body');
  const functions = siblings.map((each) => nodeIn(each, 'declaration') ?? each);
  return (
    functions.find((each) => each !== helper && isFunction(each) && applied(each) === name) ?? null
  );
}

/** The name of the function whose result is all that another function returns; null where it does more. */
function applied(by: SyntaxNode): string | null {
  const [only, ...others] = nodesIn(nodeIn(by, 'body') ?? by, 'body');
  const call = only?.type === 'ReturnStatement' ? nodeIn(only, 'argument') : null;
  const method = call?.type === 'CallExpression' ? nodeIn(call, 'callee') : null;
  if (others.length > 0 || method === null || lastName(method) !== 'apply') return null;
  return nameIn(method, 'object');
}

/** `function () { var _ref = _asyncToGenerator(…); return function load() {…}; }()`: the function returned, or the call. */
function wrapperOf(
  value: SyntaxNode,
  around: SyntaxNode,
  parents: SyntaxParents,
): SyntaxNode | null {
  const call = parents.of(around);
  if (call?.type !== 'CallExpression' || call.callee !== around) return null;
  const statements = nodesIn(nodeIn(around, 'body') ?? around, 'body');
  const isFirst = statements[0] === parents.of(parents.of(value) ?? value);
  const last = statements.at(-1);
  const returned = last?.type === 'ReturnStatement' ? nodeIn(last, 'argument') : null;
  if (!isFirst || returned === null || !isFunction(returned)) return null;
  return nodeIn(returned, 'id') === null ? call : returned;
}
