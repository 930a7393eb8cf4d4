import { describe, expect, it } from 'vitest';
import { browserCommands, openingHint } from '../../src/view/browser-command.ts';

const URL = 'http://127.0.0.1:4711/Zm9v$&YmFy/';

describe('what opens the page', () => {
  it.each([
    [{ DISPLAY: ':0' }, [['xdg-open', URL]]],
    [{ WAYLAND_DISPLAY: 'wayland-0' }, [['xdg-open', URL]]],
    [{ DISPLAY: '' }, []],
    [{ BROWSER: 'firefox' }, [['firefox', URL]]],
    [
      { BROWSER: 'a --new-window %s; rm -rf /: :b', DISPLAY: ':0' },
      [
        ['a', '--new-window', `${URL};`, 'rm', '-rf', '/'],
        ['b', URL],
        ['xdg-open', URL],
      ],
    ],
    [
      { WSL_DISTRO_NAME: 'Debian', DISPLAY: ':0' },
      [
        ['wslview', URL],
        ['xdg-open', URL],
      ],
    ],
  ])('the browser command in the environment %o', (env, commands) => {
    expect(browserCommands(URL, env)).toStrictEqual(commands);
  });
});

describe('what to do without a browser', () => {
  it('the tunnel command is printed over ssh', () => {
    const env = { SSH_CONNECTION: '10.0.0.9 50000 10.0.0.5 22', LOGNAME: 'alice' };
    expect(openingHint(URL, env)).toContain('ssh -N -L 4711:127.0.0.1:4711 alice@10.0.0.5');
    expect(openingHint(URL, {})).toBe('open the address above yourself');
  });
});
