export function findBrokenText(name: string, bytes: Buffer): string[];
