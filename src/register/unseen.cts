// biome-ignore-all lint/style/noCommonJs: used by a preload of --require.

/** Frames of ours while something is called: a trap, `unseen`, its argument. */
const OWN_FRAMES = 3;

/** Calls something, and takes `file` out of the stack of an error, which is as long as without us. */
exports.unseen = <T,>(file: string, call: () => T): T => {
  const { stackTraceLimit } = Error;
  const isLimited = typeof stackTraceLimit === 'number';
  if (isLimited) Reflect.set(Error, 'stackTraceLimit', stackTraceLimit + OWN_FRAMES);
  try {
    return call();
  } catch (error) {
    const { stack } = error as { stack?: unknown };
    if (typeof stack === 'string') {
      const isOurs = (line: string) =>
        line.startsWith('    at ') && (line.includes(file) || line.includes(__filename));
      const lines = stack.split('\n').filter((line) => !isOurs(line));
      (error as { stack: string }).stack = lines.join('\n');
    }
    throw error;
  } finally {
    if (isLimited) Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  }
};

export declare function unseen<T>(file: string, call: () => T): T;
