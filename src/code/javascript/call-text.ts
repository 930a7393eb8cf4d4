import {
  identifierOf,
  isFunction,
  nameIn,
  nodeIn,
  nodesIn,
  type SyntaxNode,
} from './syntax-tree.ts';

/** Longer texts are cut: a name is for one column of a table. */
const LONGEST_LITERAL = 40;
const LONGEST_CALLEE = 48;

/**
 * A called function as its author wrote it: `api.get`, `this.bus.on`, `router.route('/users').get`. Parts
 * that are no names are `…`.
 */
export function calleeText(callee: SyntaxNode): string {
  const text = expressionText(callee, 0);
  return text.length <= LONGEST_CALLEE ? text : `….${lastName(callee) ?? '…'}`;
}

/** `('/users')`, `('GET', '/users')`: the strings with which the arguments begin; null without any. */
export function literalArguments(call: SyntaxNode): string | null {
  const literals: string[] = [];
  for (const argument of nodesIn(call, 'arguments')) {
    const text = literalText(argument);
    if (text === null) break;
    literals.push(text);
  }
  return literals.length === 0 ? null : `(${literals.join(', ')})`;
}

/** The last name of a callee: `sort` of `rows.sort`, `Promise` of `Promise`. */
export function lastName(callee: SyntaxNode): string | null {
  const bare = withoutWrapping(callee);
  if (bare.type !== 'MemberExpression') return identifierOf(bare);
  const property = nodeIn(bare, 'property');
  return property === null ? null : keyText(property, bare.computed === true);
}

/** The name of a property: `list`, `#list`, `./src/a.js`; null where it is computed. */
export function keyText(key: SyntaxNode, isComputed: boolean): string | null {
  if (key.type === 'PrivateIdentifier' || key.type === 'PrivateName') {
    return `#${identifierOf(key) ?? nameIn(key, 'id')}`;
  }
  if (key.type === 'Literal') return cut(String(key.value));
  return isComputed ? null : identifierOf(key);
}

/** A computed key in its brackets: `[Symbol.iterator]`; `[…]` where it is no name. */
export function computedKeyText(key: SyntaxNode): string {
  return `[${calleeText(key)}]`;
}

/** Expressions that are worth what they contain: `(0, f)`, `a?.b`, `f!`, `f as F`. */
export function withoutWrapping(node: SyntaxNode): SyntaxNode {
  if (node.type === 'SequenceExpression') {
    const last = nodesIn(node, 'expressions').at(-1);
    return last === undefined ? node : withoutWrapping(last);
  }
  const inner = isTransparent(node) ? nodeIn(node, 'expression') : null;
  return inner === null ? node : withoutWrapping(inner);
}

/** Whether a node only says something of the expression in it. */
export function isTransparent({ type }: SyntaxNode): boolean {
  return (
    type === 'ParenthesizedExpression' ||
    type === 'ChainExpression' ||
    (type.startsWith('TS') && type.endsWith('Expression')) ||
    type === 'TSTypeAssertion'
  );
}

function expressionText(node: SyntaxNode, depth: number): string {
  const bare = withoutWrapping(node);
  if (depth > 8) return '…';
  switch (bare.type) {
    case 'Identifier':
      return identifierOf(bare) ?? '…';
    case 'ThisExpression':
      return 'this';
    case 'Super':
      return 'super';
    case 'MemberExpression': {
      const object = nodeIn(bare, 'object');
      const of = object === null ? '…' : expressionText(object, depth + 1);
      return `${of}.${lastName(bare) ?? '…'}`;
    }
    case 'CallExpression': {
      const callee = nodeIn(bare, 'callee');
      // `api.get('/users', …).post('/users', …)`: what was given to the first call does not tell the second.
      if (callee !== null && isFunctionGiven(bare)) return builderText(callee, depth);
      const of = callee === null ? '…' : expressionText(callee, depth + 1);
      return `${of}${literalArguments(bare) ?? '()'}`;
    }
    case 'NewExpression': {
      const callee = nodeIn(bare, 'callee');
      return callee === null ? '…' : `new ${expressionText(callee, depth + 1)}()`;
    }
    default:
      return '…';
  }
}

const isFunctionGiven = (call: SyntaxNode): boolean =>
  nodesIn(call, 'arguments').some((each) => isFunction(withoutWrapping(each)));

/** The object of a method that is called on and on: `new Hono()…`. */
function builderText(callee: SyntaxNode, depth: number): string {
  const bare = withoutWrapping(callee);
  const object = bare.type === 'MemberExpression' ? nodeIn(bare, 'object') : null;
  const of = object === null ? '' : expressionText(object, depth + 1);
  return of.endsWith('…') ? of : `${of}…`;
}

/** A string, a template or an expression between slashes; an array of strings. */
export function literalText(node: SyntaxNode): string | null {
  if (node.type === 'Literal') {
    if (typeof node.value === 'string') return quoted(node.value);
    return nodeOfRegExp(node);
  }
  if (node.type === 'TemplateLiteral') {
    const parts = nodesIn(node, 'quasis').map(({ value }) =>
      String((value as { cooked?: unknown } | undefined)?.cooked ?? ''),
    );
    return quoted(parts.join('…'));
  }
  if (node.type !== 'ArrayExpression') return null;
  const elements = nodesIn(node, 'elements').map(literalText);
  if (elements.length === 0 || elements.includes(null)) return null;
  return elements.length === 1 ? `[${elements[0]}]` : `[${elements[0]}, …]`;
}

function nodeOfRegExp(node: SyntaxNode): string | null {
  const { pattern, flags } = (node.regex ?? {}) as { pattern?: string; flags?: string };
  return pattern === undefined ? null : `/${cut(pattern)}/${flags ?? ''}`;
}

const quoted = (text: string): string => `'${cut(text)}'`;

/** One line, of bounded length. */
function cut(text: string): string {
  const [line = ''] = text.split(/[\p{Cc}\u2028\u2029]/u, 1);
  const letters = line.length > LONGEST_LITERAL ? [...line.slice(0, LONGEST_LITERAL + 1)] : null;
  if (letters !== null) return `${letters.slice(0, -1).join('')}…`;
  return line.length < text.length ? `${line}…` : line;
}
