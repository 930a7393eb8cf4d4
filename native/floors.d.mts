export function checkFloors(addon: string, libc: 'glibc' | 'musl'): string;
