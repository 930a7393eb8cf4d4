import { calleeText, isTransparent, keyText, lastName, literalArguments } from './call-text.ts';
import { isLoweringCall, loweredFrom } from './lowered-function.ts';
import {
  isFunction,
  nodeIn,
  nodesIn,
  type SyntaxNode,
  type SyntaxParents,
  textIn,
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
  textOf(node: SyntaxNode): FunctionText | null {
    const origin = this.originOf(node);
    if (origin !== null) return isFunction(origin) ? this.textOf(origin) : this.#ofValue(origin);
    return own(textIn(nodeIn(node, 'id') ?? node, 'name')) ?? this.#ofValue(node);
  }

  /** The function, or expression, that `node` is the lowered body of; null where it is none. */
  originOf(node: SyntaxNode): SyntaxNode | null {
    const { value, parent } = this.#outermost(node);
    const isGiven = parent !== null && parent.callee !== value && isLoweringCall(parent);
    if (!isGiven) return null;
    const origin = loweredFrom(parent, this.#parents);
    return (isFunction(origin) ? this.originOf(origin) : null) ?? origin;
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
        return own(textIn(nodeIn(parent, 'id') ?? parent, 'name'));
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
    const text = keyText(key, property.computed === true);
    if (property.kind !== 'constructor') return own(text);
    const body = this.#parents.of(property);
    const ofClass = body === null ? null : this.#parents.of(body);
    return ofClass === null ? null : this.textOf(ofClass);
  }

  #returned(by: SyntaxNode): FunctionText | null {
    const maker = isFunction(by) ? by : this.#parents.functionAround(by);
    const name = maker === null ? null : this.textOf(maker);
    if (name === null) return null;
    return role(name.text.startsWith('returned by ') ? name.text : `returned by ${name.text}`);
  }

  #ofElement(array: SyntaxNode, value: SyntaxNode): FunctionText | null {
    const list = this.#ofValue(array);
    if (list?.kind !== 'own') return list;
    const elements = array.elements as readonly unknown[];
    return role(`${list.text}[${elements.indexOf(value)}]`);
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
    const whole = callbackOf(name === null ? null : route, word);
    return role(result?.kind === 'own' ? `${whole} of ${result.text}` : whole);
  }

  #ofAttribute(container: SyntaxNode): FunctionText | null {
    const attribute = this.#parents.of(container);
    const key = attribute?.type === 'JSXAttribute' ? nodeIn(attribute, 'name') : null;
    const name = key === null ? null : textIn(key, 'name');
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

const callbackOf = (name: string | null, word: string): string =>
  name === null ? 'callback' : `${word}${name} callback`;

/** Offsets at which V8 lets a function begin: at the parenthesis of its parameters, or with its first word. */
export function startsOf(node: SyntaxNode, text: string): number[] {
  if (node.type.startsWith('Class')) {
    const keyword = text.indexOf('class', node.start);
    return keyword < 0 ? [node.start] : [node.start, keyword];
  }
  const head = nodeIn(node, 'typeParameters')?.end ?? nodeIn(node, 'id')?.end ?? node.start;
  const paren = parenthesisAt(text, head, bodyOf(node).start);
  if (node.type !== 'ArrowFunctionExpression') return paren < 0 ? [] : [paren];
  const hasTypes = nodeIn(node, 'typeParameters') !== null;
  return hasTypes && paren >= 0 ? [node.start, paren] : [node.start];
}

/** Offsets that a source map may have for a function: its first token, its parameters and the first of them. */
export function mappedStartsOf(node: SyntaxNode, text: string): number[] {
  const first = nodesIn(node, 'params')[0];
  return [node.start, ...startsOf(node, text), ...(first === undefined ? [] : [first.start])];
}

const bodyOf = (node: SyntaxNode): SyntaxNode => nodeIn(node, 'body') ?? node;

const BLANKS = /^(?:[^(/]+|\/\*[\s\S]*?\*\/|\/\/[^\n\r\u2028\u2029]*)*/;

/** The first parenthesis from `from` on that no comment has; -1 where there is none before `end`. */
function parenthesisAt(text: string, from: number, end: number): number {
  const head = text.slice(from, end);
  const [blanks = ''] = BLANKS.exec(head) ?? [];
  return head[blanks.length] === '(' ? from + blanks.length : -1;
}
