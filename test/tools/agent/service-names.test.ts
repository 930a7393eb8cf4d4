import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { mainScript } from '../../../src/code/javascript/main-script.ts';
import { readCgroup } from '../../../src/tools/agent/service/cgroup-path.ts';
import { ContainerNames } from '../../../src/tools/agent/service/container-names.ts';
import {
  programName,
  readServiceVariables,
} from '../../../src/tools/agent/service/identify-process.ts';
import { parseContext } from '../../../src/tools/agent/service/process-context.ts';
import { ServiceTable } from '../../../src/tools/agent/service/service-table.ts';
import { labelName, sinkLabels } from '../../../src/tools/agent/sinks/protocols.ts';
import { protobufBytes } from '../../helpers/protobuf.ts';
import { scratchDirectory } from '../../helpers/scratch.ts';

const ID = '4f0c'.padEnd(64, '0');
/** A pid that no process can have. */
const NO_PID = 2 ** 22 + 1;
const UID = '6a2c1b00-0000-4000-8000-00000000abcd';

describe('the control group of a process', () => {
  it.each([
    ['0::/system.slice/web.service', { unit: 'web.service', containerId: null, podUid: null }],
    ['0::/system.slice/my\\x2dweb.service', { unit: 'my-web.service' }],
    ['0::/user.slice/user-0.slice/session-3.scope', { unit: null }],
    [
      '0::/user.slice/user-1000.slice/user@1000.service/app.slice/sync.service',
      { unit: 'sync.service' },
    ],
    ['0::/init.scope', { unit: null }],
    [`0::/system.slice/docker-${ID}.scope`, { unit: null, containerId: ID }],
    [`12:cpu:/docker/${ID}\n0::/system.slice/docker.service`, { unit: null, containerId: ID }],
    [
      `0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UID.replaceAll('-', '_')}.slice/cri-containerd-${ID}.scope`,
      { unit: null, containerId: ID, podUid: UID },
    ],
    [`1:name=systemd:/kubepods/besteffort/pod${UID}/${ID}`, { containerId: ID, podUid: UID }],
    ['', { unit: null, containerId: null, podUid: null }],
  ])('tells unit, container and pod of %s', (text, facts) => {
    expect(readCgroup(text)).toMatchObject(facts);
  });
});

describe('the names of containers', () => {
  it("container names come from the kubelet's links and from Docker's files", () => {
    const logs = scratchDirectory();
    const docker = scratchDirectory();
    symlinkSync('/nowhere', join(logs, `shop-7f9c_prod_web-front-${ID}.log`));
    const other = 'ab'.repeat(32);
    mkdirSync(join(docker, other));
    writeFileSync(join(docker, other, 'config.v2.json'), '{"Name":"/db","ID":"x"}');
    let nowMs = 0;
    const names = new ContainerNames({ logs, docker }, () => nowMs);
    expect(names.find(ID)).toEqual({ container: 'web-front', pod: 'shop-7f9c', namespace: 'prod' });
    expect(names.find(other)).toEqual({ container: 'db', pod: null, namespace: null });
    const late = 'cd'.repeat(32);
    symlinkSync('/nowhere', join(logs, `p_n_late-${late}.log`));
    expect(names.find(late)).toBe(null);
    nowMs = 20_000;
    expect(names.find(late)?.container).toBe('late');
  });
});

describe('what a process says of itself', () => {
  it('service names are read from the named variables alone', () => {
    const environ = [
      'SECRET=service.name=stolen',
      'OTEL_RESOURCE_ATTRIBUTES=service.name=early, service.version=1.2 ,note=a%20b,bad,__proto__=x',
      'OTEL_SERVICE_NAME=shop',
    ];
    expect(readServiceVariables(environ)).toEqual({
      'service.name': 'shop',
      'service.version': '1.2',
      note: 'a b',
    });
    expect(readServiceVariables(['A=1'])).toEqual({});
  });

  it('a value with a hundred thousand spaces takes no longer than one of letters', () => {
    const cpuOf = (filler: string): number => {
      const before = process.cpuUsage();
      const value = `x${filler.repeat(100_000)}y`;
      expect(readServiceVariables([`OTEL_RESOURCE_ATTRIBUTES=a=${value}`])).toEqual({ a: value });
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    cpuOf('z');
    expect(cpuOf(' ')).toBeLessThan(20 * cpuOf('z') + 100_000);
  });

  const pair = (key: string, value: string) =>
    Buffer.concat([protobufBytes(1, key), protobufBytes(2, protobufBytes(1, value))]);
  const resource = Buffer.concat([
    protobufBytes(1, pair('service.name', 'shop')),
    protobufBytes(1, pair('service.version', '2')),
  ]);

  it.each([
    ['a process context', protobufBytes(1, resource)],
    ['a resource, as it was before', resource],
  ])("a process's own name is read from %s", (_, payload) => {
    expect(parseContext(payload)).toEqual({ 'service.name': 'shop', 'service.version': '2' });
  });

  it('a process has no name where the payload is cut or something else', () => {
    const whole = protobufBytes(1, resource);
    for (let length = 0; length < whole.length; length++) {
      expect(
        Object.values(parseContext(whole.subarray(0, length))).every((v) => v.length < 5),
      ).toBe(true);
    }
    expect(parseContext(Buffer.from('hello, world'))).toEqual({});
  });
});

describe('the service of a process', () => {
  it('a process that was asked while it was there keeps its service when it is gone', async () => {
    const child = spawn('sleep', ['1000'], { env: { OTEL_SERVICE_NAME: 'shop' }, stdio: 'ignore' });
    const pid = child.pid as number;
    const table = new ServiceTable({ parentOf: () => -1, nameOf: () => 'sleep' });
    const thread = { pid, generation: 1 };
    void table.learn([thread]);
    expect((await table.of([thread]))[0]).toMatchObject({ name: 'shop', source: 'environment' });
    table.endWindow();
    await table.learn([thread]);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    expect((await table.of([thread]))[0].name).toBe('shop');
    // Its pid runs another program, which is gone, too: nothing is known of that but how it began.
    expect((await table.of([{ pid, generation: 2 }]))[0]).toMatchObject({
      name: 'sleep',
      source: 'comm',
    });
    table.close();
  });

  it('a program that was there a moment after its start has its service when a sample of it comes after its end', async () => {
    const child = spawn('sleep', ['1000'], { env: { OTEL_SERVICE_NAME: 'job' }, stdio: 'ignore' });
    const pid = child.pid as number;
    const table = new ServiceTable({ parentOf: () => -1, nameOf: () => 'sleep' });
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      table.meet(pid, 'sleep');
      vi.advanceTimersByTime(1000);
    } finally {
      vi.useRealTimers();
    }
    // Its answer comes behind that of the one that began.
    await table.learn([{ pid: process.pid, generation: 0 }]);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    table.endWindow();
    expect((await table.of([{ pid, generation: 3 }]))[0]).toMatchObject({ name: 'job' });
    table.endWindow();
    // Its pid was given out again: nothing is known of that process.
    table.meet(pid, null);
    expect((await table.of([{ pid, generation: 4 }]))[0]).toMatchObject({ name: 'sleep' });
    table.close();
  });

  it('a process that is gone is no part of the unit of the runtime that started its container', async () => {
    const names = new Map([
      [process.pid, 'containerd-shim'],
      [NO_PID, 'job'],
    ]);
    const table = new ServiceTable({
      parentOf: (pid) => (pid === NO_PID ? process.pid : -1),
      nameOf: (pid) => names.get(pid) ?? '',
    });
    expect((await table.of([{ pid: NO_PID, generation: 0 }]))[0].name).toBe('job');
    table.close();
  });

  it('a process that is gone is of the container or unit in whose control group it was sampled', async () => {
    const logs = scratchDirectory();
    symlinkSync('/nowhere', join(logs, `shop-7f9c_prod_web-${ID}.log`));
    const pod = `/kubepods/besteffort/pod${UID}/${ID}`;
    const parent = spawn('sleep', ['1000'], { env: { OTEL_SERVICE_NAME: 'x' }, stdio: 'ignore' });
    const serviceIn = async (group: string, parentPid = -1) => {
      const table = new ServiceTable({
        parentOf: (pid) => (pid === NO_PID ? parentPid : -1),
        nameOf: () => 'job',
        cgroupOf: (pid) => (pid === NO_PID ? group : ''),
        containers: new ContainerNames({ logs }),
      });
      const [service] = await table.of([{ pid: NO_PID, generation: 0 }]);
      table.close();
      return service;
    };
    const ofPod = { name: 'web', source: 'kubernetes' };
    expect(await serviceIn(pod)).toMatchObject({
      ...ofPod,
      attributes: { 'container.id': ID, 'k8s.pod.name': 'shop-7f9c', 'k8s.pod.uid': UID },
    });
    expect(await serviceIn('/system.slice/cron.service')).toMatchObject({
      ...{ name: 'cron', source: 'systemd', attributes: { 'systemd.unit': 'cron.service' } },
    });
    expect(await serviceIn(`/docker/${'ab'.repeat(32)}`)).toMatchObject({
      ...{ name: 'job', source: 'comm', attributes: { 'container.id': 'ab'.repeat(32) } },
    });
    // Who has started it is in another one, or nobody knows.
    expect(await serviceIn(pod, parent.pid)).toMatchObject(ofPod);
    expect(await serviceIn('/', parent.pid)).toMatchObject({ name: 'x', source: 'environment' });
    parent.kill('SIGKILL');
  });

  it.each([
    ['node', ['node', 'a.js'], '/usr/bin/node', 'node'],
    ['backup.sh', ['/bin/sh', '/opt/backup.sh'], '/usr/bin/dash', 'backup.sh'],
    ['MainThread', ['node', 'a.js'], '/usr/bin/node', 'node'],
    ['MainThread', ['node'], '/opt/node (deleted)', 'node'],
    ['a-very-long-nam', ['./a-very-long-name-of-a-program'], null, 'a-very-long-nam'],
    ['kept', [''], null, 'kept'],
  ])(
    'the program of a process whose thread is %s and whose words are %j is named',
    (comm, argv, file, name) => {
      expect(programName(comm, argv, file)).toBe(name);
    },
  );
});

describe('the main script', () => {
  it.each([
    [['node', 'server.js'], 'server.js'],
    [
      ['/usr/bin/node', '--enable-source-maps', '-r', './hook.cjs', 'dist/main.js', '-x'],
      'dist/main.js',
    ],
    [['node', '--import=tsx', 'a.ts'], 'a.ts'],
    [['bun', 'run', 'index.ts'], 'index.ts'],
    [['node', '-e', 'work()'], null],
    [['node'], null],
    [['python3', 'a.py'], 'a.py'],
    [['make', 'all'], null],
    [[''], null],
  ])('the main script of %j is %s', (argv, script) => {
    expect(mainScript(argv)).toBe(script);
  });
});

describe('labels', () => {
  it('labels have the names that stores take, and the configuration wins', () => {
    const service = {
      name: 'shop',
      source: 'environment',
      attributes: { 'k8s.pod.name': 'p-1', env: 'lies', '0day': 'x', __secret__: 'y', empty: '' },
    } as const;
    expect(sinkLabels(service, { env: 'prod' }, 'process_cpu')).toEqual([
      ['_0day', 'x'],
      ['__name__', 'process_cpu'],
      ['_secret__', 'y'],
      ['env', 'prod'],
      ['k8s_pod_name', 'p-1'],
      ['service_name', 'shop'],
      ['service_source', 'environment'],
    ]);
  });

  it('labels are thirty at most', () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`a${i}`, 'v']));
    const service = { name: 's', source: 'comm', attributes: many } as const;
    expect(sinkLabels(service, {}, 'process_cpu')).toHaveLength(30);
    expect(labelName('a-b.c/d')).toBe('a_b_c_d');
  });
});
