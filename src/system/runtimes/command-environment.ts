/** The value of a variable in the environment of a command (`NAME=value`); empty without it. */
export function variable(env: readonly string[], name: string): string {
  return env.findLast((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

/** The environment with this variable, at the place of the one that it replaces, and no other of its name. */
export function withVariable(env: readonly string[], name: string, value: string): string[] {
  const isIt = (entry: string): boolean => entry.startsWith(`${name}=`);
  const first = env.findIndex(isIt);
  const entry = `${name}=${value}`;
  if (first < 0) return [...env, entry];
  return env.flatMap((other, index) => (index === first ? [entry] : isIt(other) ? [] : [other]));
}
