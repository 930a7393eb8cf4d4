// Loaders in a thread of their own, by module.register.
import { register } from 'node:module';

const hooks = `export async function load(url, context, next) {
  if (url !== 'made:up') return next(url, context);
  return { format: 'module', source: 'export default "made up"', shortCircuit: true };
}
export async function resolve(name, context, next) {
  return name === 'made:up' ? { url: name, shortCircuit: true } : next(name, context);
}`;
console.log(register(`data:text/javascript,${encodeURIComponent(hooks)}`));
console.log((await import('made:up')).default);
