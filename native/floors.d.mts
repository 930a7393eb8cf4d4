export function checkFloors(addon: string, libc: 'glibc' | 'musl' | 'any'): string;
