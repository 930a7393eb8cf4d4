import type { Environment } from '../system/accounts/caller-environment.ts';

/** A program and its arguments, without a shell. */
export type BrowserCommand = readonly [program: string, ...args: string[]];

/**
 * Commands that hand the address to a browser, the first that is installed: that of `BROWSER`,
 * Windows' browser from its Linux, then the desktop's. None where no desktop is to be seen: xdg-open
 * would start a browser in the terminal, which is ours.
 */
export function browserCommands(url: string, env: Environment): BrowserCommand[] {
  const commands = (env.BROWSER ?? '')
    .split(':')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => asCommand(entry, url));
  if (env.WSL_DISTRO_NAME) commands.push(['wslview', url]);
  if (env.DISPLAY || env.WAYLAND_DISPLAY) commands.push(['xdg-open', url]);
  return commands;
}

/** Hints where no browser was started; the person may sit at another machine. */
export function openingHint(url: string, env: Environment): string {
  // client's address and port, server's address and port
  const server = (env.SSH_CONNECTION ?? '').split(' ')[2];
  if (!server) return 'open the address above yourself';
  const { port } = new URL(url);
  const user = env.LOGNAME ?? env.USER;
  const login = user ? `${user}@${server}` : server;
  return (
    `open the address above where you came from, through: ` +
    `ssh -N -L ${port}:127.0.0.1:${port} ${login}`
  );
}

/** `%s` stands for the address, which else comes last. */
function asCommand(entry: string, url: string): BrowserCommand {
  const [program, ...args] = entry.split(/\s+/) as [string, ...string[]];
  if (!args.some((arg) => arg.includes('%s'))) return [program, ...args, url];
  return [program, ...args.map((arg) => arg.replaceAll('%s', () => url))];
}
