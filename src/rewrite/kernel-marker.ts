/**
 * The address that replaces every kernel address in a recording without them.
 *
 *   0xffffffff80000000  0xffffffffbffff000  0xffffffffc0000000
 *   ├─ the kernel's map ───────────┼─────────────────┤
 *                               marker
 *
 * The map covers the marker, so that every tool counts it for [kernel.kallsyms]. The marker is at
 * the far end of what x86 reserves for the kernel's image, where no symbol is.
 */
export const KERNEL_MARKER = 0xffffffffbffff000n;
export const KERNEL_MAP_START = 0xffffffff80000000n;
export const KERNEL_MAP_SIZE = 0x40000000n;
/** A kernel map's file offset is the address of its reference symbol, `_text`. */
export const KERNEL_MAP_OFFSET = KERNEL_MAP_START;

const MARKER_HIGH = 0xffffffff;
const MARKER_LOW = 0xbffff000;
const SIGN_BIT = 0x80000000;

// Context markers: −4095 … −1.
const FIRST_CONTEXT_LOW = 0xfffff001;
// The vsyscall page of x86-64 is at the same address everywhere.
const VSYSCALL_LOW = 0xff600000;
const VSYSCALL_END_LOW = 0xff601000;
/** User space of a 32-bit x86 kernel ends here, of others before. */
const KERNEL_START_32 = 0xc0000000;

/** How kernel addresses look on the machine that recorded. */
export type KernelAddresses = {
  readonly littleEndian: boolean;
  /** True for a 32-bit kernel: no address has an upper half. */
  readonly is32Bit: boolean;
  /** s390, sparc: kernel and user space have the same addresses; only the CPU mode tells. */
  readonly overlap: boolean;
};

/** `arch` as `uname -m`; null: 64 bits. */
export function kernelAddressesOf(arch: string | null, littleEndian: boolean): KernelAddresses {
  const is32Bit = /^(i[3-6]86|x86$|arm$|armv[4-7]|ppc$|mips$|mipsel$|riscv32|s390$)/.test(
    arch ?? '',
  );
  return { littleEndian, is32Bit, overlap: /^(s390|sparc)/.test(arch ?? '') };
}

/** Whether the u64 at `at` can only be an address of kernel space. */
export function isKernelAddressAt(view: DataView, at: number, addresses: KernelAddresses): boolean {
  const { littleEndian, is32Bit, overlap } = addresses;
  const high = view.getUint32(littleEndian ? at + 4 : at, littleEndian);
  const low = view.getUint32(littleEndian ? at : at + 4, littleEndian);
  if (overlap) return false;
  if (is32Bit && high === 0) return low >= KERNEL_START_32;
  if (high < SIGN_BIT) return false;
  return high !== MARKER_HIGH || low < VSYSCALL_LOW || low >= VSYSCALL_END_LOW;
}

/** Whether the u64 at `at` is a context marker of a callchain, or another small negative number. */
export function isContextMarkerAt(view: DataView, at: number, littleEndian: boolean): boolean {
  const high = view.getUint32(littleEndian ? at + 4 : at, littleEndian);
  const low = view.getUint32(littleEndian ? at : at + 4, littleEndian);
  return high === MARKER_HIGH && low >= FIRST_CONTEXT_LOW;
}

export function writeMarker(view: DataView, at: number, littleEndian: boolean): void {
  view.setUint32(littleEndian ? at + 4 : at, MARKER_HIGH, littleEndian);
  view.setUint32(littleEndian ? at : at + 4, MARKER_LOW, littleEndian);
}
