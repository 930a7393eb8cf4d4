import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Profile as Pprof } from 'pprof-format';
import { afterEach, expect, it, vi } from 'vitest';
import { buildIdOf } from '../../src/read/files/elf-files.ts';
import { openFileSource } from '../../src/read/files/file-source.ts';
import { listeningPorts } from '../../src/record/code-events/listening-ports.ts';
import { startAgent } from '../../src/tools/agent/agent.ts';
import { readAgentConfig } from '../../src/tools/agent/config/parse-config.ts';
import { profilesIn } from '../helpers/agent-profiles.ts';
import { perfTs, projectRoot, scratchDirectory, startPerfTs } from '../helpers/cli.ts';
import { startFakeSink } from '../helpers/fake-sink.ts';
import { describeLive } from '../helpers/live.ts';
import { decodeProtobuf, type Message, PUSH_REQUEST } from '../helpers/protobuf.ts';

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) {
    child.kill('SIGKILL');
    rmSync(`/tmp/perf-${child.pid}.map`, { force: true });
    rmSync(`/tmp/perf-ts-${child.pid}.notes`, { force: true });
    rmSync(`/tmp/perf-ts-${process.geteuid?.()}/${child.pid}.sock`, { force: true });
  }
});

/** The target of a descriptor; it may be closed meanwhile. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

const weightOf = ({ sample }: Pprof): number =>
  sample.reduce((sum, { value }) => sum + Number(value[1]), 0);

const textOf = ({ strings }: Pprof['stringTable'], row: number | bigint): string =>
  strings[Number(row)] ?? '';

const namesOf = ({ function: functions, stringTable }: Pprof): string[] =>
  functions.map(({ name }) => stringTable.strings[Number(name)] ?? '');

const functionsOf = ({ function: functions, stringTable }: Pprof) =>
  functions.map(({ name, filename }) => ({
    name: stringTable.strings[Number(name)] ?? '',
    file: stringTable.strings[Number(filename)] ?? '',
  }));

function startNode(name: string, options: readonly string[] = [], env: object = {}): ChildProcess {
  const code = `function burnHere() { for (let i = 0; i < 1e6; i++) Math.sqrt(i); } setInterval(() => {}, 1e6); for (;;) burnHere();`;
  const script = join(scratchDirectory(), `${name}.cjs`);
  writeFileSync(script, code);
  writeFileSync(join(script, '../package.json'), JSON.stringify({ name, version: '3.1.4' }));
  const child = spawn(process.execPath, [...options, script], {
    stdio: 'ignore',
    // V8 leaves a log where it is started.
    cwd: join(script, '..'),
    env: { PATH: process.env.PATH, ...env },
  });
  running.push(child);
  return child;
}

describeLive('agent', () => {
  it('a configuration that cannot be used leaves the agent as it was, and /healthz has the sinks that fail', async () => {
    const refusing = await startFakeSink((response) => response.writeHead(404).end());
    const folder = scratchDirectory();
    const given = {
      window: { seconds: 1 },
      services: { idle: true },
      sinks: [
        { type: 'folder', path: folder },
        { type: 'pyroscope', url: refusing.url },
      ],
      spool: { directory: scratchDirectory() },
      listen: '127.0.0.1:0',
    };
    const agent = await startAgent({ config: readAgentConfig(given, 'test') });
    try {
      const health = async () =>
        (await fetch(`http://127.0.0.1:${agent.metricsPort}/healthz`)).text();
      await expect.poll(health).toMatch(/^ok\npyroscope: .*: 404 .*; windows wait\n$/);
      const open = scratchDirectory();
      chmodSync(open, 0o777);
      const unusable = { ...given, sinks: [given.sinks[0]], spool: { directory: join(open, 'x') } };
      await expect(agent.reload(readAgentConfig(unusable, 'test'))).rejects.toThrow(
        'others may write',
      );
      expect(await health()).toMatch(/^ok\npyroscope: /);
      const before = profilesIn(folder).length;
      await expect.poll(() => profilesIn(folder).length).toBeGreaterThan(before);
      refusing.answer = (response) => response.writeHead(200).end('{}');
      await agent.reload(readAgentConfig(given, 'test'));
      await expect.poll(health).toBe('ok\n');
    } finally {
      await agent.stop();
    }
  });

  it('windows that chance leaves out have no samples, and weights are what was counted in the others', async () => {
    // For each window its length and whether it is sampled: one is, the next one is not.
    const chances = [0.9, 0.9, 0.1, 0.1];
    let asked = 0;
    vi.spyOn(Math, 'random').mockImplementation(() => chances[asked++ % chances.length]);
    const folder = scratchDirectory();
    const config = {
      sampling: { hz: 99 },
      window: { seconds: 1, jitter: 0, share: 0.5 },
      services: { idle: true, only: ['idle'] },
      sinks: [{ type: 'folder', path: folder }],
    };
    const agent = await startAgent({ config: readAgentConfig(config, 'test') });
    try {
      const leftOut = () =>
        Number(/windows_left_out_total (\d+)/.exec(agent.metrics())?.[1] ?? Number.NaN);
      await expect.poll(leftOut).toBeGreaterThan(1);
      await expect.poll(() => profilesIn(folder).length).toBeGreaterThan(2);
    } finally {
      vi.restoreAllMocks();
      await agent.stop();
    }
    const { counted, weighed } = agent.totals;
    expect(Math.abs(weighed - (counted ?? 0))).toBeLessThan(1);
    const spans = profilesIn(folder)
      .map(({ profile }) => [Number(profile.timeNanos), Number(profile.durationNanos)])
      .sort(([a], [b]) => a - b);
    const gaps = spans.slice(1).map(([start], row) => start - spans[row][0] - spans[row][1]);
    expect(gaps.filter((ns) => ns > 5e8).length).toBeGreaterThan(0);
    // A window that is left out adds nothing to those around it.
    for (const [, lengthNs] of spans) expect(lengthNs).toBeGreaterThan(0);
  });

  it('the agent writes profiles whose weights add up to what the counters have counted', async () => {
    startNode('agent-test-shop', ['--perf-basic-prof', '--interpreted-frames-native-stack']);
    startNode('ignored', [], { OTEL_SERVICE_NAME: 'agent-test-named' });
    const folder = scratchDirectory();
    const config = {
      sampling: { hz: 99 },
      window: { seconds: 1 },
      labels: { env: 'test' },
      services: { idle: true },
      sinks: [{ type: 'folder', path: folder }],
      listen: '127.0.0.1:0',
    };
    const agent = await startAgent({ config: readAgentConfig(config, 'test') });
    const services = () => new Set(profilesIn(folder).map(({ service }) => service));
    await expect.poll(() => services().has('agent-test-shop')).toBe(true);
    await expect.poll(() => services().has('agent-test-named')).toBe(true);
    const health = await fetch(`http://127.0.0.1:${agent.metricsPort}/healthz`);
    expect([health.status, await health.text()]).toEqual([200, 'ok\n']);
    const metrics = await (await fetch(`http://127.0.0.1:${agent.metricsPort}/metrics`)).text();
    expect(metrics).toMatch(/^perf_ts_agent_windows_total [1-9]/m);
    expect(metrics).toMatch(/^perf_ts_agent_sink_dropped_total\{sink="folder"\} 0$/m);
    await agent.stop();
    const { counted, weighed, samples } = agent.totals;
    const profiles = profilesIn(folder);
    const sum = profiles.reduce((all, { profile }) => all + weightOf(profile), 0);
    expect(samples).toBeGreaterThan(10);
    // Each profile is rounded to whole nanoseconds.
    expect(Math.abs(weighed - (counted ?? 0))).toBeLessThan(1);
    expect(Math.abs(sum - weighed)).toBeLessThanOrEqual(profiles.length);
    // Windows that follow each other do not overlap.
    const shop = profiles
      .filter(({ service }) => service === 'agent-test-shop')
      .map(({ profile }) => profile)
      .sort((a, b) => Number(a.timeNanos) - Number(b.timeNanos));
    for (let i = 1; i < shop.length; i++) {
      const end = BigInt(shop[i - 1].timeNanos) + BigInt(shop[i - 1].durationNanos);
      // The wall clock is read again for each window, and may have been moved meanwhile by as much.
      expect(BigInt(shop[i].timeNanos)).toBeGreaterThanOrEqual(end - 1_000_000n);
    }
    expect(shop.flatMap(namesOf).some((name) => name.startsWith('burnHere'))).toBe(true);
    // The kernel was not asked for build IDs: they are those of the files.
    const [{ mapping, stringTable }] = shop;
    const node = mapping.find(({ filename }) => textOf(stringTable, filename) === process.execPath);
    const source = openFileSource(process.execPath);
    expect(node && textOf(stringTable, node.buildId)).toBe(buildIdOf(source) ?? '');
    source.close();
  });

  it('the agent names the functions of a program that imports perf-ts/register, in their TypeScript', async () => {
    const directory = scratchDirectory();
    const script = join(directory, 'dist.cjs');
    // It calls itself, so that V8 puts it into no other.
    writeFileSync(
      script,
      `require(${JSON.stringify(join(import.meta.dirname, '../../dist/register/preload.cjs'))});
(function serveRegistered(depth) {
  for (let i = 0; i < 4e5; i++) Math.sqrt(i);
  if (depth > 0) serveRegistered(depth - 1);
  else setImmediate(serveRegistered, 5);
})(5);
${'//# source'}MappingURL=dist.cjs.map
`,
    );
    // Line 2 of the script is line 6 of the source.
    const map = { version: 3, sources: ['service.ts'], names: [], mappings: ';AAKA' };
    writeFileSync(`${script}.map`, JSON.stringify(map));
    const child = spawn(process.execPath, [script], {
      stdio: 'ignore',
      cwd: directory,
      env: { PATH: process.env.PATH, OTEL_SERVICE_NAME: 'agent-test-registered' },
    });
    running.push(child);
    const folder = scratchDirectory();
    const config = readAgentConfig(
      {
        sampling: { hz: 99 },
        window: { seconds: 1 },
        sinks: [{ type: 'folder', path: folder }],
      },
      'test',
    );
    await using agent = await startAgent({ config });
    const found = () =>
      profilesIn(folder)
        .filter(({ service }) => service === 'agent-test-registered')
        .flatMap(({ profile }) => functionsOf(profile));
    const source = join(directory, 'service.ts');
    await expect.poll(found).toContainEqual({
      name: `serveRegistered ${source}:6`,
      file: source,
    });
    expect(agent.totals.samples).toBeGreaterThan(0);
  });

  it('the agent names an unmodified Node of a service that a rule attaches to, once, and no other, and makes room for record', async () => {
    const directory = scratchDirectory();
    const script = join(directory, 'plain.cjs');
    // Its event loop turns, so that the inspector is answered; it calls itself, so that V8 puts it into no other.
    writeFileSync(
      script,
      `const { hasSubscribers } = require('node:diagnostics_channel');
(function serveHere(depth) {
  for (let i = 0; i < 4e5; i++) Math.sqrt(i);
  if (depth > 0) return serveHere(depth - 1);
  if (hasSubscribers('http.server.request.start')) require('node:fs').writeFileSync('marked', '');
  setImmediate(serveHere, 5);
})(5);`,
    );
    const start = (service: string, words: readonly string[]): ChildProcess => {
      const [program = '', ...others] = words;
      const env = { PATH: process.env.PATH, OTEL_SERVICE_NAME: service };
      const child = spawn(program, others, { stdio: 'ignore', cwd: directory, env });
      running.push(child);
      return child;
    };
    const attached = start('attach-test-attached', [process.execPath, script]);
    const permission = process.allowedNodeEnvironmentFlags.has('--permission')
      ? '--permission'
      : '--experimental-permission';
    start('attach-test-alone', [process.execPath, script]);
    const refusing = start('attach-test-refuses', [
      process.execPath,
      ...[permission, '--allow-fs-read=*', script],
    ]);
    const folder = scratchDirectory();
    const notices: string[] = [];
    const config = readAgentConfig(
      {
        sampling: { hz: 99 },
        window: { seconds: 1 },
        services: {
          rules: [
            { service: 'attach-test-*', attach: true },
            { service: 'attach-test-al*', attach: false },
          ],
        },
        sinks: [{ type: 'folder', path: folder }],
        listen: '127.0.0.1:0',
      },
      'test',
    );
    const agent = await startAgent({ config, onNotice: (notice) => notices.push(notice) });
    const health = async () =>
      (await fetch(`http://127.0.0.1:${agent.metricsPort}/healthz`)).text();
    const isNamed = (of: string) =>
      profilesIn(folder).some(
        ({ service, profile }) =>
          service === of && namesOf(profile).some((name) => name.startsWith('serveHere ')),
      );
    try {
      await expect.poll(() => isNamed('attach-test-attached')).toBe(true);
      const refusal = `process ${refusing.pid} have no names: `;
      await expect.poll(health).toMatch(new RegExp(`^ok\n.*${refusal}.*permission model`));
      // The agent asks for no marks, for which requests would pay.
      const hasMarks = () => existsSync(join(directory, 'marked'));
      expect(hasMarks()).toBe(false);
      const words = ['-e', 'cpu-clock:u', '-p', `${attached.pid}`, '--attach-js'];
      const file = join(directory, 'a.data');
      const recorder = startPerfTs(['record', ...words, '-o', file]);
      await expect.poll(hasMarks).toBe(true);
      recorder.child.kill('SIGINT');
      expect((await recorder.ended).stderr).toContain(`process ${attached.pid} (Node `);
    } finally {
      await agent.stop();
    }
    expect(isNamed('attach-test-alone')).toBe(false);
    const reported = notices.filter((notice) => / reports its JavaScript/.test(notice));
    expect(reported).toEqual([expect.stringContaining(`process ${attached.pid} `)]);
    // The inspector is closed again.
    expect([...listeningPorts(attached.pid ?? 0)]).toEqual([]);
    expect([attached.exitCode, refusing.exitCode]).toEqual([null, null]);
  });

  it('functions that V8 has put into their callers have frames and lines in what the agent sends', async () => {
    const directory = scratchDirectory();
    const script = join(directory, 'basket.cjs');
    writeFileSync(
      script,
      `require(${JSON.stringify(join(projectRoot, 'dist/register/preload.cjs'))});
function priceBasket(n) {
  let sum = 0;
  for (let i = 0; i < 2000; i++) sum += Math.sqrt(i * n);
  return sum;
}
function serveBasket() {
  let all = 0;
  for (let i = 0; i < 200; i++) all += priceBasket(i);
  return all;
}
(function turn() { serveBasket(); serveBasket(); setImmediate(turn); })();
`,
    );
    const child = spawn(process.execPath, [script], {
      stdio: 'ignore',
      cwd: directory,
      env: { PATH: process.env.PATH, OTEL_SERVICE_NAME: 'agent-test-inlined' },
    });
    running.push(child);
    const folder = scratchDirectory();
    const sinks = [{ type: 'folder', path: folder }];
    const config = readAgentConfig({ sampling: { hz: 99 }, window: { seconds: 1 }, sinks }, 'test');
    await using agent = await startAgent({ config });
    // Location: functions with their lines, the innermost first.
    const locations = () =>
      profilesIn(folder)
        .filter(({ service }) => service === 'agent-test-inlined')
        .flatMap(({ profile }) => {
          const names = new Map(profile.function.map(({ id, name }) => [id, name]));
          return profile.location.map(({ line }) =>
            line.map(
              (each) =>
                `${textOf(profile.stringTable, names.get(each.functionId) ?? 0).split(' ')[0]}:${each.line}`,
            ),
          );
        });
    await expect.poll(locations).toContainEqual(['priceBasket:4', 'serveBasket:0']);
    expect(agent.totals.samples).toBeGreaterThan(0);
  });

  it('the agent has a metric of how long the turns of a registered program took', async () => {
    const script = join(scratchDirectory(), 'turns.cjs');
    // No turn of it takes less than 20 ms, on whatever machine.
    writeFileSync(
      script,
      `require(${JSON.stringify(join(projectRoot, 'dist/register/preload.cjs'))});
const turn = () => {
  for (const end = performance.now() + 20; performance.now() < end; );
  setTimeout(turn, 1);
};
turn();
`,
    );
    const child = spawn(process.execPath, [script], {
      stdio: 'ignore',
      env: { PATH: process.env.PATH, OTEL_SERVICE_NAME: 'agent-test-turns' },
    });
    running.push(child);
    const sinks = [{ type: 'folder', path: scratchDirectory() }];
    const config = readAgentConfig({ sampling: { hz: 99 }, window: { seconds: 1 }, sinks }, 'test');
    await using agent = await startAgent({ config });
    const figures = () => {
      const lines = agent.metrics().split('\n');
      const figure = (rest: string): number => {
        const name = `perf_ts_agent_turn_seconds${rest}`;
        return Number(
          lines
            .find((line) => line.startsWith(name))
            ?.split(' ')
            .at(-1),
        );
      };
      const of = 'service="agent-test-turns"';
      const [count, sum] = [figure(`_count{${of}}`), figure(`_sum{${of}}`)];
      return { count, mean: sum / count, longest: figure(`{${of},quantile="1"}`) };
    };
    // All are of one answer: a window in which the program does not get a CPU has none of its turns, and no quantiles.
    let found = figures();
    const isKnown = () => {
      found = figures();
      return found.count > 10 && found.longest > 0.02 * (1 - 1 / 16);
    };
    await expect.poll(isKnown).toBe(true);
    expect(found.mean).toBeGreaterThan(0.01);
  });

  it('the agent leaves the names of a registered program to record, and gets them back', async () => {
    const directory = scratchDirectory();
    const script = join(directory, 'server.cjs');
    // Code that it compiles after the signal has another name, in a worker too. It prints a letter after many turns of that.
    writeFileSync(
      script,
      `require(${JSON.stringify(join(import.meta.dirname, '../../dist/register/preload.cjs'))});
const { Worker, isMainThread, parentPort } = require('node:worker_threads');
const where = isMainThread ? 'Main' : 'Worker';
const make = (name) => Function('return function ' + name + '(depth) { for (let i = 0; i < 2e5; i++) Math.sqrt(i); if (depth > 0) ' + name + '(depth - 1); }')();
let work = make('first' + where);
let left = Infinity;
const second = () => { work = make('second' + where); left = 300; };
const turn = () => { work(5); if (--left === 0) require('node:fs').writeSync(1, where[0]); setImmediate(turn); };
turn();
if (isMainThread) {
  const worker = new Worker(__filename);
  process.on('SIGUSR2', () => { second(); worker.postMessage(''); });
} else parentPort.on('message', second);
`,
    );
    const child = spawn(process.execPath, [script], {
      stdio: ['ignore', 'pipe', 'ignore'],
      cwd: directory,
      env: { PATH: process.env.PATH, OTEL_SERVICE_NAME: 'agent-test-shared' },
    });
    running.push(child);
    let printed = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    const folder = scratchDirectory();
    const sinks = [{ type: 'folder', path: folder }];
    const config = readAgentConfig({ sampling: { hz: 99 }, window: { seconds: 1 }, sinks }, 'test');
    await using agent = await startAgent({ config });
    const names = () =>
      profilesIn(folder)
        .filter(({ service }) => service === 'agent-test-shared')
        .flatMap(({ profile }) => namesOf(profile))
        .map((name) => name.split(' ')[0]);
    await expect.poll(names).toEqual(expect.arrayContaining(['firstMain', 'firstWorker']));
    const data = join(directory, 'perf.data');
    const recording = startPerfTs(['record', '-p', `${child.pid}`, '-F', '499', '-g', '-o', data]);
    running.push(recording.child);
    await expect.poll(() => recording.stderr()).toContain('reports its JavaScript');
    child.kill('SIGUSR2');
    await expect.poll(() => printed.length).toBe(2);
    recording.child.kill('SIGINT');
    const { stderr } = await recording.ended;
    const { stdout } = perfTs(['report', '-i', data, '--stdio', '-g', 'none', '--limit', '0']);
    for (const name of ['secondMain', 'secondWorker']) expect(stdout, stderr).toContain(name);
    await expect.poll(names).toEqual(expect.arrayContaining(['secondMain', 'secondWorker']));
    expect(agent.totals.samples).toBeGreaterThan(0);
  });

  it('an agent that is killed leaves nothing on the machine, and programs that it has heard tell the next one', async () => {
    const script = join(scratchDirectory(), 'registered.cjs');
    // It calls itself, so that V8 puts it into no other.
    writeFileSync(
      script,
      `require(${JSON.stringify(join(projectRoot, 'dist/register/preload.cjs'))});
(function heardAgain(depth) {
  for (let i = 0; i < 4e5; i++) Math.sqrt(i);
  if (depth > 0) heardAgain(depth - 1);
  else setImmediate(heardAgain, 5);
})(5);`,
    );
    const env = { ...process.env, OTEL_SERVICE_NAME: 'agent-test-heard' };
    const program = spawn(process.execPath, [script], { stdio: 'ignore', env });
    running.push(program);
    const connections = () =>
      readdirSync(`/proc/${program.pid}/fd`).filter((fd) =>
        linkOf(`/proc/${program.pid}/fd/${fd}`).startsWith('socket:'),
      ).length;
    for (const agentNumber of [1, 2]) {
      const folder = scratchDirectory();
      const words = ['-F', '99', '--window', '1', '--sink', `folder:${folder}`];
      const agent = startPerfTs(['agent', ...words]);
      running.push(agent.child);
      const heard = () =>
        profilesIn(folder).some(
          ({ service, profile }) =>
            service === 'agent-test-heard' &&
            profile.stringTable.strings.some((text) => text.startsWith('heardAgain ')),
        );
      // Each look reads all windows that there are.
      const patient = { message: `agent ${agentNumber}`, interval: 500 };
      await expect.poll(heard, patient).toBe(true);
      const before = connections();
      agent.child.kill('SIGKILL');
      await agent.ended;
      await expect.poll(connections).toBe(before - 1);
      const left = ['/tmp', `/tmp/perf-ts-${process.geteuid?.()}`].flatMap((place) =>
        readdirSync(place),
      );
      expect(left.filter((name) => new RegExp(`\\b${agent.child.pid}\\b`).test(name))).toEqual([]);
      expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
    }
  });

  it('an agent that is killed again and again sends no window twice', async () => {
    const spool = scratchDirectory();
    chmodSync(spool, 0o700);
    const fake = await startFakeSink();
    const args = ['agent', '--sink', `pyroscope:${fake.url}`, '--spool', spool, '--window', '1'];
    for (let i = 1; i <= 3; i++) {
      const agent = startPerfTs(args);
      running.push(agent.child);
      await expect.poll(() => fake.received.length).toBeGreaterThanOrEqual(i * 2);
      agent.child.kill('SIGKILL');
      await agent.ended;
    }
    const ids = fake.received.flatMap(({ body }) =>
      (decodeProtobuf(body, PUSH_REQUEST).series as Message[]).flatMap(({ samples }) =>
        (samples as Message[]).flatMap(({ id }) => id as string[]),
      ),
    );
    expect(ids.length).toBeGreaterThan(3);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('the agent keeps windows while the sink is down, and reads its configuration again', async () => {
    const spool = scratchDirectory();
    chmodSync(spool, 0o700);
    const down = await startFakeSink((response) => response.writeHead(503).end());
    const up = await startFakeSink();
    const file = join(scratchDirectory(), 'agent.json');
    const write = (url: string) =>
      writeFileSync(
        file,
        JSON.stringify({
          window: { seconds: 1 },
          sinks: [{ type: 'pyroscope', url }],
          spool: { directory: spool },
        }),
        { mode: 0o600 },
      );
    write(down.url);
    const agent = startPerfTs(['agent', '--config', file]);
    running.push(agent.child);
    const waiting = () =>
      readdirSync(join(spool, 'pyroscope')).filter((name) => name.endsWith('.window'));
    await expect.poll(() => down.received.length).toBeGreaterThan(0);
    await expect.poll(() => waiting().length).toBeGreaterThan(2);
    const [oldest] = waiting().sort();
    // A mistake is reported, and nothing changes.
    writeFileSync(file, '{ "sinks": 1 }');
    agent.child.kill('SIGHUP');
    await expect.poll(() => agent.stderr()).toContain('the configuration stays as it was');
    write(up.url);
    agent.child.kill('SIGHUP');
    await expect.poll(() => up.received.length).toBeGreaterThan(2);
    await expect.poll(() => waiting().includes(oldest ?? '')).toBe(false);
    agent.child.kill('SIGTERM');
    const { status, stderr } = await agent.ended;
    expect(status, stderr).toBe(0);
    expect(stderr).toContain('windows wait');
    // All that the counters have counted is in some window.
    const sums = /(\d+) samples, lost \d+; weights add up to (\d+), the counters to (\d+)$/m.exec(
      stderr,
    );
    expect(Number(sums?.[1])).toBeGreaterThan(0);
    expect(Math.abs(Number(sums?.[2]) - Number(sums?.[3]))).toBeLessThanOrEqual(1);
    expect(waiting()).toEqual([]);
  });

  it('the agent reports what is wrong on its command line', () => {
    const status = (...args: string[]) => perfTs(['agent', ...args]);
    expect(status().stderr).toContain('nothing says where the profiles go');
    expect(status('--sink', 'kafka:x').stderr).toContain('sinks[0].type: expected one of');
    const file = join(scratchDirectory(), 'agent.json');
    writeFileSync(file, '{ "sinks": [{ "type": "folder", "path": "/x" }] }', { mode: 0o600 });
    expect(status('--config', file, '--window', '3').stderr).toContain(
      'with --config it belongs into the file',
    );
    const { stdout, status: checked } = status('--config', file, '--check-config');
    expect([checked, JSON.parse(stdout).windowMs]).toEqual([0, 10_000]);
    chmodSync(file, 0o666);
    expect(status('--config', file, '--check-config').stderr).toContain('others may write into it');
  });
});
