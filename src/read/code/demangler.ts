import type { Diagnostics } from '../../base/diagnostics.ts';
import type { DemangleBatch } from '../../code/symbols/demangle.ts';
import { loadBinding } from '../../native/binding.ts';

/** C++ names through the addon; null, and counted, where there is none. */
export function demangler(diagnostics: Diagnostics): DemangleBatch | null {
  try {
    const binding = loadBinding();
    return (names) => binding.demangle(names);
  } catch (error) {
    diagnostics.count('demangler-missing', (error as Error).message);
    return null;
  }
}
