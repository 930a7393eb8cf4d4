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

export function textIn(node: SyntaxNode, field: string): string | null {
  const value = node[field];
  return typeof value === 'string' ? value : null;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

export const isFunction = (node: SyntaxNode): boolean => FUNCTIONS.has(node.type);

/** Parents of the nodes of a tree. */
export class SyntaxParents {
  readonly #parents = new Map<SyntaxNode, SyntaxNode>();
  /** Functions in the order of the text; classes too, as their constructors may have no text of their own. */
  readonly functions: SyntaxNode[] = [];

  constructor(program: SyntaxNode) {
    // By a list instead of by recursion: a parser's own limits of depth are not those of this stack.
    const waiting = [program];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (isFunction(node) || node.type.startsWith('Class')) this.functions.push(node);
      const children = Object.keys(node).flatMap((field) => nodesIn(node as SyntaxNode, field));
      for (const child of children.reverse()) {
        this.#parents.set(child, node);
        waiting.push(child);
      }
    }
  }

  of(node: SyntaxNode): SyntaxNode | null {
    return this.#parents.get(node) ?? null;
  }

  /** The innermost function around a node; null at the top of the script. */
  functionAround(node: SyntaxNode): SyntaxNode | null {
    let around = this.of(node);
    while (around !== null && !isFunction(around)) around = this.of(around);
    return around;
  }
}
