import type { NativeBinding } from '../../native/types.ts';
import { CacheFolder, cacheHome, MOST_CACHED_BYTES } from '../../system/files/cache-folder.ts';
import { readTrimmedOrNull } from '../../system/small-file.ts';

const FILE = 'kernel';
/** A large kernel has 200 000 symbols of 40 bytes. */
const MOST_BYTES = 16 * 2 ** 20;
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/**
 * `readKernelLines` that keeps the symbols of the kernel proper in the user's cache. They stay the same until the
 * machine starts again, and it takes the kernel longer to list them than a short recording takes altogether.
 *
 * The kept lines hold for one boot, by its ID, and while the list begins with the same lines: it no longer does
 * where the kernel hides its addresses by now. Addresses that may be outside of the kernel proper are looked up in
 * the list as ever: modules and BPF programs come and go. `home`: the user's folder of caches.
 */
export function keptKernelLines(
  binding: Pick<NativeBinding, 'readKernelLines' | 'keepKernel' | 'findKeptKernelLines'>,
  home: string | null = cacheHome(),
): NativeBinding['readKernelLines'] {
  return (path, addresses) => {
    const boot = readTrimmedOrNull(BOOT_ID);
    const folder = boot === null ? null : CacheFolder.open(home, MOST_CACHED_BYTES);
    if (boot === null || folder === null) return binding.readKernelLines(path, addresses);
    const find = (kept: Uint8Array) => binding.findKeptKernelLines(path, boot, kept, addresses);
    try {
      const kept = folder.read(FILE, MOST_BYTES);
      let found = kept === null ? null : find(kept);
      if (found === null || !found.isCurrent) {
        const made = binding.keepKernel(path, boot);
        if (made !== null && made.length <= MOST_BYTES) {
          folder.write(FILE, made);
          found = find(made);
        }
      }
      return found?.lines ?? binding.readKernelLines(path, addresses);
    } finally {
      folder.close();
    }
  };
}
