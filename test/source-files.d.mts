/** TypeScript files below a directory. */
export function sourceFiles(directory: string): string[];
