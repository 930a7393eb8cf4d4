export function findUndescribed(top: string, rooms: readonly string[]): string[];
export function findUnlisted(top: string, page: string): string[];
export function findMissingPaths(top: string, page: string): string[];
export function findMissingFiles(top: string, rooms: readonly string[]): string[];
export function findWrongLengths(top: string, rooms: readonly string[]): string[];
