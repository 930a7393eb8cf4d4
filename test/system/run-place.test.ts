import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { callersPathLine, readRunPlace, rootLine } from '../../src/system/run-place.ts';
import { drawnPlace } from '../helpers/drawn-place.ts';

const MAIN = '/usr/lib/node_modules/perf-ts/dist/bin/main.js';

/** Node and perf-ts as a distribution's packages install them. */
const SYSTEM = {
  execPath: '/usr/bin/node',
  script: '/usr/local/bin/perf-ts',
  ownScripts: [MAIN],
  path: '/usr/local/bin:/usr/bin:/bin',
  programs: {
    '/usr/bin/node': '/usr/bin/node',
    '/bin/node': '/usr/bin/node',
    '/usr/local/bin/perf-ts': MAIN,
  },
};

/** A project's own perf-ts, started by `npx perf-ts`. */
const LOCAL_MAIN = '/home/ann/shop/node_modules/perf-ts/dist/bin/main.js';
const LOCAL = {
  script: '/home/ann/shop/node_modules/.bin/perf-ts',
  ownScripts: [LOCAL_MAIN],
  isOfPackageManager: true,
  path: '/home/ann/shop/node_modules/.bin:/home/ann/.nvm/bin:/usr/bin',
  execPath: '/home/ann/.nvm/bin/node',
  programs: {
    '/home/ann/shop/node_modules/.bin/perf-ts': LOCAL_MAIN,
    '/home/ann/.nvm/bin/node': '/home/ann/.nvm/bin/node',
  },
};

describe('the line that runs perf-ts as root', () => {
  it('the line is plain sudo where Node and perf-ts lie on the PATH of sudo', () => {
    expect(rootLine(drawnPlace(SYSTEM))).toBe('sudo perf-ts record …');
  });

  it('the line that runs perf-ts as root hands the PATH over for a Node of nvm', () => {
    expect(rootLine(drawnPlace())).toBe('sudo env "PATH=$PATH" perf-ts record …');
  });

  it('the line that runs perf-ts as root names the command that was refused, and record for the doctor', () => {
    const line = (firstWord: string) => rootLine(drawnPlace({ ...SYSTEM, firstWord }));
    expect(line('stat')).toBe('sudo perf-ts stat …');
    expect(line('top')).toBe('sudo perf-ts top …');
    expect(line('doctor')).toBe('sudo perf-ts record …');
  });

  it('the line that runs perf-ts as root hands the PATH over where /usr/local is not on the PATH of sudo: Fedora, RHEL', () => {
    const fedora = drawnPlace({ ...SYSTEM, distribution: '"rocky" "rhel centos fedora"' });
    expect(rootLine(fedora)).toBe('sudo env "PATH=$PATH" perf-ts record …');
  });

  it('the line that runs perf-ts as root hands the PATH over where root would run another Node', () => {
    const programs = { ...SYSTEM.programs, '/home/ann/n/bin/node': '/home/ann/n/bin/node' };
    const path = `/home/ann/n/bin:${SYSTEM.path}`;
    const place = drawnPlace({ ...SYSTEM, programs, path, execPath: '/home/ann/n/bin/node' });
    expect(rootLine(place)).toBe('sudo env "PATH=$PATH" perf-ts record …');
  });

  it("the line that runs perf-ts as root follows the link of fnm's shell to its Node", () => {
    const shell = '/run/user/1000/fnm_multishells/1_2/bin';
    const node = '/home/ann/.local/share/fnm/node-versions/v22.1.0/installation/bin/node';
    const place = drawnPlace({
      ...SYSTEM,
      execPath: node,
      script: `${shell}/perf-ts`,
      path: `${shell}:/usr/bin`,
      programs: { [`${shell}/node`]: node, [`${shell}/perf-ts`]: MAIN },
    });
    expect(rootLine(place)).toBe('sudo env "PATH=$PATH" perf-ts record …');
  });

  it.each([
    ['volta', '/home/ann/.volta/tools/image/node/20.20.2/bin', '/home/ann/.volta/bin'],
    ['asdf', '/home/ann/.asdf/installs/nodejs/20.20.2/bin', '/home/ann/.asdf/shims'],
    ['mise', '/home/ann/.local/share/mise/installs/node/20/bin', '/home/ann/mise/shims'],
  ])('names the real folder where %s puts a stand-in for node on the PATH', (_, folder, shims) => {
    const place = drawnPlace({
      execPath: `${folder}/node`,
      script: `${folder}/perf-ts`,
      ownScripts: [MAIN],
      path: `${shims}:/usr/bin`,
      programs: {
        [`${folder}/node`]: `${folder}/node`,
        [`${folder}/perf-ts`]: MAIN,
        [`${shims}/node`]: `${shims}/shim`,
        [`${shims}/perf-ts`]: `${shims}/shim`,
      },
    });
    expect(rootLine(place)).toBe(`sudo env "PATH=${folder}:$PATH" perf-ts record …`);
  });

  it("the line that runs perf-ts as root names the file of a project's own perf-ts, from the current directory where that is shorter", () => {
    expect(rootLine(drawnPlace(LOCAL))).toBe(
      'sudo env "PATH=$PATH" node_modules/.bin/perf-ts record …',
    );
    expect(rootLine(drawnPlace({ ...LOCAL, cwd: '/tmp' }))).toBe(
      'sudo env "PATH=$PATH" /home/ann/shop/node_modules/.bin/perf-ts record …',
    );
    const system = { ...LOCAL.programs, '/usr/bin/node': '/usr/bin/node' };
    const place = drawnPlace({
      ...LOCAL,
      programs: system,
      execPath: '/usr/bin/node',
      path: '/usr/bin',
    });
    expect(rootLine(place)).toBe('sudo node_modules/.bin/perf-ts record …');
  });

  it('the line that runs perf-ts as root runs a file without the right to be executed by node, as in a checkout', () => {
    const main = '/home/ann/perf-ts/dist/bin/main.js';
    const place = drawnPlace({ script: main, ownScripts: [main], cwd: '/home/ann/perf-ts' });
    expect(rootLine(place)).toBe('sudo env "PATH=$PATH" node dist/bin/main.js record …');
  });

  it('the line that runs perf-ts as root names the program that uses the library, with the options of its Node', () => {
    const place = drawnPlace({
      script: '/home/ann/shop/bench.mjs',
      execArgv: ['--import', 'a loader.mjs'],
    });
    expect(rootLine(place)).toBe(
      'sudo env "PATH=$PATH" node --import \'a loader.mjs\' ./bench.mjs …',
    );
    expect(rootLine(drawnPlace({ ...SYSTEM, script: null }))).toBe('sudo node …');
  });

  it('the line without sudo is one of su, and names the user of the command', () => {
    const line = (firstWord: string) => rootLine(drawnPlace({ hasSudo: false, firstWord }));
    expect(line('record')).toBe("su -c 'perf-ts record --user ann …'");
    expect(line('agent')).toBe("su -c 'perf-ts agent …'");
  });

  it('a path with a space comes to su without sudo as it was written', () => {
    const execArgv = ['--import', 'a loader.mjs'];
    const place = drawnPlace({ hasSudo: false, script: '/home/ann/shop/bench.mjs', execArgv });
    const line = rootLine(place) ?? '';
    const given = execFileSync('sh', ['-c', line.replace('su -c', 'printf %s')], {
      encoding: 'utf8',
    });
    expect(given).toBe("node --import 'a loader.mjs' ./bench.mjs …");
  });

  it('the line is none for root', () => {
    expect(rootLine(drawnPlace({ isRoot: true }))).toBeNull();
  });

  it('the line that runs perf-ts as root quotes what a shell would read otherwise', () => {
    const folder = '/home/ann/my "$HOME"/.nvm/bin';
    const place = drawnPlace({
      execPath: `${folder}/node`,
      script: '/home/ann/it’s/node_modules/.bin/perf-ts',
      ownScripts: ['/home/ann/it’s/node_modules/.bin/perf-ts'],
      programs: {
        [`${folder}/node`]: `${folder}/node`,
        '/home/ann/it’s/node_modules/.bin/perf-ts': '/home/ann/it’s/node_modules/.bin/perf-ts',
      },
      path: '/usr/bin',
    });
    expect(rootLine(place)).toBe(
      'sudo env "PATH=/home/ann/my \\"\\$HOME\\"/.nvm/bin:$PATH" ' +
        "'/home/ann/it’s/node_modules/.bin/perf-ts' record …",
    );
  });
});

it("a command that only its caller's PATH has is started with that PATH", () => {
  expect(callersPathLine(drawnPlace({ isRoot: true }), 'node')).toBe(
    'sudo env "PATH=$PATH" perf-ts record … node …',
  );
});

it('the place of this process is read once', () => {
  expect(readRunPlace()).toBe(readRunPlace());
  expect(readRunPlace().isRoot).toBe(process.geteuid?.() === 0);
});
