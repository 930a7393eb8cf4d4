import { readFileSync } from 'node:fs';
import { compileC } from '../helpers/compile.ts';
import { repositoryPath } from './repository.ts';

const SMALL = ['-O2', '-nostdlib', '-nostartfiles', '-Wl,-e,main', '-Wl,-z,noseparate-code'];
const VARIANTS: readonly (readonly string[])[] = [
  ['-g', '-gdwarf-5'],
  ['-g', '-gdwarf-4', '-fdebug-types-section'],
  ['-g', '-gdwarf-3', '-fasynchronous-unwind-tables'],
  ['-g', '-gdwarf-2'],
  ['-g', '-gdwarf-5', '-gz=zlib'],
  ['-g', '-gdwarf-4', '-gz=zlib-gnu'],
  ['-g', '-gdwarf-5', '-gdwarf64'],
  ['-g', '-gdwarf-5', '-ffunction-sections', '-freorder-blocks-and-partition'],
  ['-g', '-gdwarf-5', '-shared', '-fPIC', '-Wl,--build-id'],
  ['-fno-asynchronous-unwind-tables', '-fno-omit-frame-pointer', '-g'],
];

/** Small ELF files, a variant of DWARF each; none where there is no compiler. */
export function compiledPrograms(): Uint8Array[] {
  const programs: Uint8Array[] = [];
  for (const flags of VARIANTS) {
    try {
      const path = compileC(repositoryPath('test/fuzz/program.c'), [...SMALL, ...flags]);
      programs.push(readFileSync(path));
    } catch {
      // Not every compiler writes every variant.
    }
  }
  return programs;
}
