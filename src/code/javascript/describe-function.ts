import { memoize } from '../../base/memoize.ts';
import {
  calleeText,
  computedKeyText,
  isTransparent,
  keyText,
  lastName,
  literalArguments,
} from './call-text.ts';
import { isLoweringCall, loweredFrom } from './lowered-function.ts';
import { routeOfMethod, routeOfObject } from './route-text.ts';
import {
  identifierOf,
  isFunction,
  nameIn,
  nodeIn,
  nodesIn,
  type SyntaxNode,
  type SyntaxParents,
} from './syntax-tree.ts';

/** A function by what its source calls it. */
export type FunctionText = {
  readonly text: string;
  /**
   * `own`: its name, or that of what it is the value of; `call`: the call that it is given to, with the strings
   * that tell this call from others; `role`: what it does for others.
   */
  readonly kind: 'own' | 'call' | 'role';
};

const own = (text: string | null): FunctionText | null =>
  text === null || text === '' ? null : { text, kind: 'own' };
const role = (text: string): FunctionText => ({ text, kind: 'role' });

/**
 * Describes functions by the source around them:
 *
 *     api.get('/users', (req, res) => …)               api.get('/users')
 *     function rank() { rows.sort((a, b) => …) }       sort callback in rank
 *     setInterval(() => …, 100)                        setInterval callback
 *     const makeHandler = () => (event) => …           returned by makeHandler
 *     (function () {…})()                              IIFE
 *
 * Each is a fact of the text, and none can be taken for a name that an author gave: those have no spaces and no
 * parentheses.
 */
export class FunctionTexts {
  readonly #parents: SyntaxParents;

  constructor(parents: SyntaxParents) {
    this.#parents = parents;
  }

  /** Describes a function, or a class; null where nothing around it tells. */
  readonly textOf = memoize((node: SyntaxNode): FunctionText | null => {
    const origin = this.originOf(node);
    if (origin !== null && isFunction(origin)) return this.textOf(origin);
    // A helper's call that is no value is a function that was called at once.
    if (origin !== null) return this.#ofValue(origin) ?? this.#within('IIFE', origin);
    return own(nameIn(node, 'id')) ?? this.#ofValue(node);
  });

  /** The function, or expression, that `node` is the lowered body of; null where it is none. */
  originOf(node: SyntaxNode): SyntaxNode | null {
    return this.originsOf(node).at(-1) ?? null;
  }

  /** The functions that `node` is the lowered body of, from the inside, and the expression in whose place they are. */
  originsOf(node: SyntaxNode): SyntaxNode[] {
    const origins: SyntaxNode[] = [];
    for (let body: SyntaxNode | null = node; body !== null && isFunction(body); ) {
      const { value, parent } = this.#outermost(body);
      const isGiven = parent !== null && parent.callee !== value && isLoweringCall(parent);
      body = isGiven ? loweredFrom(parent, this.#parents) : null;
      if (body !== null) origins.push(body);
    }
    return origins;
  }

  /** A value without what only wraps it, from the inside. */
  #outermost(node: SyntaxNode): { readonly value: SyntaxNode; readonly parent: SyntaxNode | null } {
    let value = node;
    let parent = this.#parents.of(value);
    while (parent !== null && (isTransparent(parent) || parent.type === 'SpreadElement')) {
      value = parent;
      parent = this.#parents.of(value);
    }
    return { value, parent };
  }

  #ofValue(node: SyntaxNode): FunctionText | null {
    const { value, parent } = this.#outermost(node);
    switch (parent?.type) {
      case 'VariableDeclarator':
        return own(nameIn(parent, 'id'));
      case 'AssignmentExpression':
      case 'AssignmentPattern':
        return this.#ofTarget(parent, value);
      case 'Property':
      case 'PropertyDefinition':
      case 'AccessorProperty':
      case 'MethodDefinition':
        return this.#ofProperty(parent, value);
      case 'ExportDefaultDeclaration':
        return own('default');
      case 'ConditionalExpression':
      case 'LogicalExpression':
      case 'AwaitExpression':
      case 'SequenceExpression':
        return parent.test === value ? null : this.#ofValue(parent);
      case 'ArrowFunctionExpression':
      case 'ReturnStatement':
        return this.#returned(parent);
      case 'ArrayExpression':
        return this.#ofElement(parent, value);
      case 'MemberExpression':
        return this.#ofBound(parent, value);
      case 'CallExpression':
      case 'NewExpression':
        return parent.callee === value ? this.#within('IIFE', parent) : this.#ofArgument(parent);
      case 'JSXExpressionContainer':
        return this.#ofAttribute(parent);
      default:
        return null;
    }
  }

  #ofTarget(assignment: SyntaxNode, value: SyntaxNode): FunctionText | null {
    const target = nodeIn(assignment, 'left');
    if (target === null || target === value) return null;
    const text = calleeText(target);
    return text.includes('…') ? null : own(text);
  }

  #ofProperty(property: SyntaxNode, value: SyntaxNode): FunctionText | null {
    const key = nodeIn(property, 'key');
    if (key === null || key === value) return null;
    const around = this.#parents.of(property);
    const outer = around === null ? null : this.#parents.of(around);
    if (property.kind === 'constructor') return outer === null ? null : this.textOf(outer);
    const text = keyText(key, property.computed === true);
    if (text === null) {
      const computed = computedKeyText(key);
      const owner = outer?.type.startsWith('Class') ? this.textOf(outer) : null;
      if (!computed.includes('…')) return own(computed);
      return owner === null
        ? this.#within(computed, property)
        : role(`${computed} in ${owner.text}`);
    }
    const route = around === null || outer === null ? null : this.#route(property, around, outer);
    if (route !== null) return { text: route.replace('%', () => text), kind: 'call' };
    const word = property.kind === 'get' || property.kind === 'set' ? `${property.kind} ` : '';
    return own(`${word}${text}`);
  }

  /** A route with `%` for the name of what answers to it; null for a property of which the text tells none. */
  #route(property: SyntaxNode, around: SyntaxNode, outer: SyntaxNode): string | null {
    if (around.type === 'ObjectExpression') {
      return outer.callee === around ? null : routeOfObject(around, outer);
    }
    const ofClass = this.textOf(outer);
    return ofClass?.kind === 'own' ? routeOfMethod(property, outer, ofClass.text) : null;
  }

  #returned(by: SyntaxNode): FunctionText | null {
    const maker = isFunction(by) ? by : this.#parents.functionAround(by);
    const call = maker === null ? null : this.#outermost(maker);
    // A function that is called at once gives its call the value that it returns.
    const value = call?.parent?.callee === call?.value ? call?.parent : null;
    const ofValue = value == null ? null : this.#ofValue(value);
    if (ofValue !== null) return ofValue;
    const name = maker === null ? null : this.textOf(maker);
    if (name === null) return null;
    return role(name.text.startsWith('returned by ') ? name.text : `returned by ${name.text}`);
  }

  #ofElement(array: SyntaxNode, value: SyntaxNode): FunctionText | null {
    const list = this.#ofValue(array);
    if (list?.kind !== 'own') return list;
    const elements = array.elements as readonly (SyntaxNode | null)[];
    const at = elements.indexOf(value);
    const before = elements[at - 1]?.value;
    if (typeof before === 'string' && isTurbopackKey(before)) return own(before);
    return role(`${list.text}[${at}]`);
  }

  /** `function () {…}.bind(this)` stands where its call stands; `.call(this)` runs it. */
  #ofBound(member: SyntaxNode, value: SyntaxNode): FunctionText | null {
    const call = this.#parents.of(member);
    if (member.object !== value || call?.type !== 'CallExpression' || call.callee !== member) {
      return null;
    }
    const method = lastName(member);
    if (method === 'bind') return this.#ofValue(call);
    return method === 'call' || method === 'apply' ? this.#within('IIFE', call) : null;
  }

  #ofArgument(call: SyntaxNode): FunctionText | null {
    const callee = nodeIn(call, 'callee');
    if (callee === null) return null;
    const word = call.type === 'NewExpression' ? 'new ' : '';
    const literals = literalArguments(call);
    if (literals !== null) {
      return { text: `${word}${calleeText(callee)}${literals}`, kind: 'call' };
    }
    const name = lastName(callee);
    const route = calleeText(callee);
    // `router.route('/users').get(…)`: the path stands in the callee.
    if (/\(\[?'\//.test(route)) return { text: `${word}${route}()`, kind: 'call' };
    const around = this.#around(call);
    if (around !== null) return role(`${callbackOf(name, word)} in ${around}`);
    const result = this.#ofValue(call);
    const whole = callbackOf(name === null || route.startsWith('…') ? name : route, word);
    return role(result?.kind === 'own' ? `${whole} of ${result.text}` : whole);
  }

  #ofAttribute(container: SyntaxNode): FunctionText | null {
    const attribute = this.#parents.of(container);
    const key = attribute?.type === 'JSXAttribute' ? nodeIn(attribute, 'name') : null;
    const name = key === null ? null : identifierOf(key);
    return name === null ? null : this.#within(name, container);
  }

  #within(text: string, node: SyntaxNode): FunctionText {
    const around = this.#around(node);
    return role(around === null ? text : `${text} in ${around}`);
  }

  /** The nearest function around a node that has a name, or is given to a call of its own; null at the top. */
  #around(node: SyntaxNode): string | null {
    let around = this.#parents.functionAround(node);
    while (around !== null) {
      const found = this.textOf(around);
      if (found !== null && found.kind !== 'role') return found.text;
      around = this.#parents.functionAround(around);
    }
    return null;
  }
}

/** Turbopack has each module behind its name: `module.exports = ["[project]/app/page.tsx [app-rsc] (ecmascript)", (…) => …`. */
const isTurbopackKey = (text: string): boolean =>
  /^\[[\w-]+\]\/.* \[[\w-]+\] \(.+\)(?: <[\w ]+>)?$/.test(text);

const callbackOf = (name: string | null, word: string): string =>
  name === null ? 'callback' : `${word}${name} callback`;

/** Offsets at which V8 lets a function begin: at the parenthesis of its parameters, or with its first word. */
export function startsOf(node: SyntaxNode, text: string): number[] {
  if (node.type.startsWith('Class')) {
    const keyword = text.indexOf('class', node.start);
    return [node.start, ...(keyword < 0 ? [] : [keyword]), ...initializerStarts(node)];
  }
  const head = nodeIn(node, 'typeParameters')?.end ?? nodeIn(node, 'id')?.end ?? node.start;
  const paren = parenthesisAt(text, head, bodyOf(node).start);
  if (node.type !== 'ArrowFunctionExpression') return paren < 0 ? [] : [paren];
  const hasTypes = nodeIn(node, 'typeParameters') !== null;
  return hasTypes && paren >= 0 ? [node.start, paren] : [node.start];
}

const FIELDS = new Set(['PropertyDefinition', 'AccessorProperty', 'StaticBlock']);

/**
 * The offsets of what initializes a class's fields: functions that V8 since 12 calls by the class. They begin with the
 * class's body in V8 12, and later with the first field, and the first static field or block.
 */
function initializerStarts(node: SyntaxNode): number[] {
  const body = bodyOf(node);
  const fields = nodesIn(body, 'body').filter(({ type }) => FIELDS.has(type));
  const isStatic = (field: SyntaxNode) => field.type === 'StaticBlock' || field.static === true;
  const first = [fields.find((field) => !isStatic(field)), fields.find(isStatic)];
  return [body.start, ...first.flatMap((field) => field?.start ?? [])];
}

/**
 * The offsets from which to which a source map may lead to a function: from its first token, or a method's key, to the
 * brace of its body, where the place of a body that was made a function of its own is.
 */
export function functionHead(
  node: SyntaxNode,
  parents: SyntaxParents,
): { start: number; end: number } {
  const parent = parents.of(node);
  const isMethod =
    parent?.type === 'MethodDefinition' ||
    parent?.method === true ||
    parent?.kind === 'get' ||
    parent?.kind === 'set';
  const body = bodyOf(node);
  return {
    start: isMethod && parent !== null ? (nodeIn(parent, 'key') ?? parent).start : node.start,
    end: body.type === 'BlockStatement' ? body.start : body.start - 1,
  };
}

const bodyOf = (node: SyntaxNode): SyntaxNode => nodeIn(node, 'body') ?? node;

const BLANKS = /^(?:[^(/]+|\/\*[\s\S]*?\*\/|\/\/[^\n\r\u2028\u2029]*)*/;

/** The first parenthesis from `from` on that no comment has; -1 where there is none before `end`. */
function parenthesisAt(text: string, from: number, end: number): number {
  const head = text.slice(from, end);
  const [blanks = ''] = BLANKS.exec(head) ?? [];
  return head[blanks.length] === '(' ? from + blanks.length : -1;
}
