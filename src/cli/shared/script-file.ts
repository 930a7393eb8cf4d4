/** A file of JavaScript or TypeScript, by its name. */
export const SCRIPT_FILE = /\.[cm]?[jt]sx?$/;
