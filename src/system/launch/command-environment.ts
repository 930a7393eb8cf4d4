/** The value of a variable in the environment of a command (`NAME=value`); empty without it. */
export function variable(env: readonly string[], name: string): string {
  return env.findLast((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

/** The environment with this variable, and no other of its name. */
export function withVariable(env: readonly string[], name: string, value: string): string[] {
  return [...env.filter((entry) => !entry.startsWith(`${name}=`)), `${name}=${value}`];
}
