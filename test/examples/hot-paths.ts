import { join } from 'node:path';
import { projectRoot } from '../helpers/cli.ts';
import { compileC } from '../helpers/compile.ts';

/** The example program, compiled as quickstart.sh does. */
export function compileHotPaths(): string {
  const source = join(projectRoot, 'examples/hot-paths/hot-paths.c');
  return compileC(source, ['-O2', '-g', '-fno-omit-frame-pointer', '-mno-omit-leaf-frame-pointer']);
}
