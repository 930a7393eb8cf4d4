export function bundle(name: 'host' | 'worker'): Promise<string>;
