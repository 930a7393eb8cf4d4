/** A node of a syntax tree as ESTree describes it, with the offsets of its text. */
export type SyntaxNode = {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
};

/** The tree of a text in JavaScript or TypeScript, by the name of its file; null where it is neither. */
export type ParseScript = (text: string, path: string) => SyntaxNode | null;

/** The nodes in a field: one, several, or none. */
export function nodesIn(node: SyntaxNode, field: string): SyntaxNode[] {
  const value = node[field];
  return (Array.isArray(value) ? value : [value]).filter(isNode);
}

export function nodeIn(node: SyntaxNode, field: string): SyntaxNode | null {
  const value = node[field];
  return isNode(value) ? value : null;
}

/** The name of the identifier in a field; where there is none, of the node itself. */
export function nameIn(node: SyntaxNode, field: string): string | null {
  return identifierOf(nodeIn(node, field) ?? node);
}

/** The name of an identifier; null of other nodes. */
export function identifierOf({ name }: SyntaxNode): string | null {
  return typeof name === 'string' ? name : null;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

export const isFunction = (node: SyntaxNode): boolean => FUNCTIONS.has(node.type);

/** The field in which a node has its parent: a table of the nodes of a bundle would take a second to fill. */
const PARENT = Symbol('parent');

type Child = { [PARENT]?: SyntaxNode };

/** Parents of the nodes of a tree. */
export class SyntaxParents {
  /** Functions in the order of the text; classes too, as their constructors may have no text of their own, and static blocks. */
  readonly functions: SyntaxNode[] = [];

  constructor(program: SyntaxNode) {
    // By a list instead of by recursion: a parser's own limits of depth are not those of this stack.
    const waiting = [program];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (isFunction(node) || /^(?:Class|StaticBlock)/.test(node.type)) this.functions.push(node);
      const first = waiting.length;
      for (const field in node) addNodes(node[field], waiting);
      for (let i = first; i < waiting.length; i++) (waiting[i] as Child)[PARENT] = node;
      // The first child is the next one.
      for (let low = first, high = waiting.length - 1; low < high; low++, high--) {
        [waiting[low], waiting[high]] = [waiting[high], waiting[low]];
      }
    }
  }

  of(node: SyntaxNode): SyntaxNode | null {
    return (node as Child)[PARENT] ?? null;
  }

  /** The innermost function around a node; null at the top of the script. */
  functionAround(node: SyntaxNode): SyntaxNode | null {
    let around = this.of(node);
    while (around !== null && !isFunction(around)) around = this.of(around);
    return around;
  }
}

// Hot: once for each field of each node.
function addNodes(value: unknown, nodes: SyntaxNode[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) {
    if (isNode(value)) nodes.push(value);
    return;
  }
  for (const each of value) if (isNode(each)) nodes.push(each);
}
