// Node's `--import`: compiles the TypeScript that is imported, with its source map, as tsx does.

import { readFileSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) register(import.meta.url);

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { transformSync } = await import('rolldown/experimental');
  const path = fileURLToPath(url);
  const text = readFileSync(path, 'utf8');
  const { code, map, errors } = transformSync(path, text, { sourcemap: true, tsconfig: false });
  if (errors.length > 0) throw errors[0];
  const data = Buffer.from(JSON.stringify(map)).toString('base64');
  const source = `${code}\n//# sourceMappingURL=data:application/json;base64,${data}`;
  return { format: 'module', source, shortCircuit: true };
}
