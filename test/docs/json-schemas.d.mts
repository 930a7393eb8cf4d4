/** The folder of the schemas. */
export const FOLDER: string;

/** The schemas of all documents, by file name. */
export function jsonSchemas(): { readonly file: string; readonly text: string }[];
