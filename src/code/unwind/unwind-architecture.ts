/** Architectures that can be unwound, little-endian. i386 and arm have 32 bits. */
export type UnwindArchitecture = 'x86-64' | 'i386' | 'aarch64' | 'arm';
