import { calleeText, lastName, literalText, withoutWrapping } from './call-text.ts';
import { nameIn, nodeIn, nodesIn, type SyntaxNode } from './syntax-tree.ts';

/** Decorators of methods that answer to a path. */
const VERB = /^(?:Get|Post|Put|Patch|Delete|Head|Options|All|Sse|Search|Route)$/;

/** Decorators of classes that have a path. */
const CONTROLLER = /^(?:Controller|JsonController|RestController|Route)$/;

/** Whether a text may have a decorator with a route: it is parsed only then. */
export const hasRoutes = (text: string): boolean => ROUTE_IN_TEXT.test(text);

const ROUTE_IN_TEXT = new RegExp(`@(?:${VERB.source.slice(1, -1)})\\s*\\(`);

/** Names of functions of an object that is a route, as in Fastify, hapi and Hono. */
export const isRouteKey = (name: string): boolean => ROUTE_KEY.test(name);

const ROUTE_KEY =
  /^(?:handler|preHandler|onRequest|preParsing|preValidation|preSerialization|onSend|onResponse|onError)$/;

/**
 * The route of an object that is given to a call, `%` where the name of its function belongs; null where it has no path:
 *
 *     app.route({ method: 'GET', url: '/users', handler: … })       % of app.route('GET', '/users')
 */
export function routeOfObject(object: SyntaxNode, call: SyntaxNode): string | null {
  const callee = call.type === 'CallExpression' ? nodeIn(call, 'callee') : null;
  if (callee === null) return null;
  const texts = new Map<string, string>();
  for (const property of nodesIn(object, 'properties')) {
    const key = nameIn(property, 'key');
    const value = nodeIn(property, 'value');
    const text = value === null ? null : literalText(value);
    if (key !== null && text !== null) texts.set(key, text);
  }
  const path = texts.get('url') ?? texts.get('path');
  if (path?.startsWith("'/") !== true) return null;
  const words = [texts.get('method'), path].filter((word) => word !== undefined);
  return `% of ${calleeText(callee)}(${words.join(', ')})`;
}

/**
 * A method with the path that its decorator and that of its class give it; null without one:
 *
 *     @Controller('api') class Users { @Get('users') list() {…} }   Users.% @Get('api/users')
 */
export function routeOfMethod(
  method: SyntaxNode,
  ofClass: SyntaxNode,
  name: string,
): string | null {
  const verb = decorators(method).find(({ name: each }) => VERB.test(each));
  if (verb === undefined) return null;
  const base = decorators(ofClass).find(({ name: each }) => CONTROLLER.test(each));
  const parts = [base?.path, verb.path].flatMap((path) => path?.replace(/^\/|\/$/g, '') || []);
  return `${name}.% @${verb.name}('${parts.join('/')}')`;
}

/** The decorators of a class or of a member that are called, with the path that they are given. */
function decorators(node: SyntaxNode): { readonly name: string; readonly path: string | null }[] {
  return nodesIn(node, 'decorators').flatMap((decorator) => {
    const call = withoutWrapping(nodeIn(decorator, 'expression') ?? decorator);
    const callee = call.type === 'CallExpression' ? nodeIn(call, 'callee') : null;
    const name = callee === null ? null : lastName(callee);
    if (name === null) return [];
    const [argument] = nodesIn(call, 'arguments');
    const text = argument === undefined ? null : literalText(pathIn(argument));
    return [{ name, path: text?.startsWith("'") ? text.slice(1, -1) : null }];
  });
}

/** `@Controller({ path: 'api' })` */
function pathIn(argument: SyntaxNode): SyntaxNode {
  const property = nodesIn(argument, 'properties').find((each) => nameIn(each, 'key') === 'path');
  return (property === undefined ? null : nodeIn(property, 'value')) ?? argument;
}
