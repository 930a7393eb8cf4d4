// Hostile processes beside the agent and beside the page, which run for long.

import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../helpers/free-port.ts';
import { canMount } from '../../helpers/mount-namespace.ts';
import { waitedSecondsOf } from '../../helpers/tasks.ts';
import { type Place, until } from '../ways.ts';
import { inFolder } from './answers.ts';
import type { HostileCase } from './cases.ts';
import {
  asStranger,
  compileScript,
  noCompiler,
  noStranger,
  perfTs,
  residentMib,
  type Starter,
  script,
  type Task,
  withTasks,
} from './neighbours.ts';

/** How long the agent stands beside its neighbours, in windows of a second. */
const WINDOWS = 15;
/** Windows that may be missing: the last one may not be complete. */
const MISSING = 2;
/** Growth of the agent's memory once its tables are filled: on a busy machine it knows a hundred processes. */
const MAX_GROWTH_MIB = 64;
/** It is taken as filled when it has not grown for so long, or after so long. */
const CALM_MS = 10_000;
const MOST_FILLING_SECONDS = 60;
const END_SECONDS = 5;
const ANSWER_SECONDS = 5;

export const SERVICES: readonly HostileCase[] = [
  {
    name: 'the agent beside a page that is never served',
    obstacle: () => {
      if (!existsSync('/dev/fuse')) return 'there is no /dev/fuse';
      return canMount() ? noCompiler() : 'this process may not mount';
    },
    run: (place) =>
      besideAgent(place, async (start, folder) => {
        mkdirSync(join(folder, 'mount'));
        const program = compileScript(place, 'fuse-page.c');
        const page = start(['unshare', '-m', program, join(folder, 'mount'), '40'], folder);
        return (await page.printed('ready')) ? null : `the page did not begin: ${page.stderr}`;
      }),
  },
  {
    name: 'the agent beside a program of another user that announces names of 256 KiB',
    obstacle: noStranger,
    run: (place) => besideAgent(place, announcing(place, 256, 6000)),
  },
  {
    name: 'the agent beside a program of another user that announces names of 16 MiB',
    obstacle: noStranger,
    run: (place) => besideAgent(place, announcing(place, 16 << 10, 60)),
  },
  {
    name: 'the agent while another user floods its port with connections',
    obstacle: noStranger,
    run: (place) =>
      besideAgent(place, async (start, _folder, port) => {
        const flood = start(
          asStranger([process.execPath, script(place, 'flood.mjs'), `${port}`]),
          '/',
        );
        return (await flood.printed('ready')) ? null : 'the flood did not begin';
      }),
  },
  {
    name: 'the page while another user floods its port with connections',
    obstacle: noStranger,
    run: besidePage,
  },
];

type Attack = (start: Starter, folder: string, port: number) => Promise<string | null>;

function announcing(place: Place, kib: number, count: number): Attack {
  return async (start) => {
    const words = [process.execPath, script(place, 'announces.mjs'), `${kib}`, `${count}`];
    const program = start(asStranger(words), '/');
    return (await program.printed('ready')) ? null : `the program did not start: ${program.stderr}`;
  };
}

/** The agent makes all windows, grows little, answers, and ends at SIGTERM, whatever stands beside it. */
async function besideAgent(place: Place, attack: Attack): Promise<string[]> {
  return inFolder(place, (folder) =>
    withTasks(async (start) => {
      const port = await freePort();
      const sink = join(folder, 'windows');
      mkdirSync(sink);
      const words = [
        'agent',
        '-q',
        '--window',
        '1',
        '--sink',
        `folder:${sink}`,
        '--listen',
        `127.0.0.1:${port}`,
      ];
      const agent = start(perfTs(place, ...words), folder);
      start([process.execPath, '-e', 'for (;;);'], folder);
      if (!(await until(() => windowsIn(sink) >= 2, 20, agent.pid)))
        return [`the agent did not begin: ${agent.stderr}`];
      const memory = { peak: 0, risenAt: 0 };
      const watch = (): void => {
        const mib = residentMib(agent.pid);
        if (mib > memory.peak) Object.assign(memory, { peak: mib, risenAt: performance.now() });
      };
      await until(() => {
        watch();
        return agent.end !== null || performance.now() - memory.risenAt > CALM_MS;
      }, MOST_FILLING_SECONDS);
      const filled = memory.peak;
      const obstacle = await attack(start, folder, port);
      if (obstacle !== null) return [obstacle];
      const waited = (): number => waitedSecondsOf(agent.pid);
      const before = { windows: windowsIn(sink), at: performance.now(), waited: waited() };
      await until(() => {
        watch();
        return agent.end !== null;
      }, WINDOWS);
      // A window ends late where the agent gets no CPU for it.
      const passed = Math.floor(
        (performance.now() - before.at) / 1000 - (waited() - before.waited),
      );
      return judgeAgent(agent, port, {
        windows: windowsIn(sink) - before.windows,
        passed,
        growth: memory.peak - filled,
      });
    }),
  );
}

async function judgeAgent(
  agent: Task,
  port: number,
  { windows, passed, growth }: { windows: number; passed: number; growth: number },
): Promise<string[]> {
  if (agent.end !== null)
    return [
      `the agent ended with ${agent.end.signal ?? agent.end.status}: ${agent.stderr.trim().slice(0, 200)}`,
    ];
  const problems: string[] = [];
  if (windows < passed - MISSING) problems.push(`${windows} windows in ${passed} s`);
  if (growth > MAX_GROWTH_MIB) problems.push(`the agent grew by ${growth.toFixed(0)} MiB`);
  if (!(await answers(`http://127.0.0.1:${port}/healthz`, agent.pid)))
    problems.push('/healthz does not answer');
  agent.child.kill('SIGTERM');
  if (!(await agent.endsWithin(END_SECONDS))) problems.push('SIGTERM does not end the agent');
  return problems;
}

/** Whether a server answers in time, of which what its process waits for a CPU is no part. */
async function answers(url: string, pid: number): Promise<boolean> {
  const giveUp = new AbortController();
  const seen = { isAnswered: false, isOver: false };
  const asking = async (): Promise<void> => {
    await (await fetch(url, { signal: giveUp.signal })).text();
    seen.isAnswered = true;
  };
  const asked = asking()
    .catch(() => {})
    .finally(() => {
      seen.isOver = true;
    });
  await until(() => seen.isOver, ANSWER_SECONDS, pid);
  giveUp.abort();
  await asked;
  return seen.isAnswered;
}

/** Windows that are in the folder: distinct names of files among all services. */
function windowsIn(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.pb.gz'),
  );
  return new Set(names.map((name) => name.split('/').pop())).size;
}

async function besidePage(place: Place): Promise<string[]> {
  return inFolder(place, (folder) =>
    withTasks(async (start) => {
      const data = join(folder, 'x.data');
      const recorder = start(
        perfTs(place, 'record', '-q', '-o', data, '--', process.execPath, '-e', '0'),
        folder,
      );
      await recorder.endsWithin(20);
      const view = start(perfTs(place, 'view', '--no-open', data), folder);
      await until(() => /http:\S+/.test(view.stdout + view.stderr) || view.end !== null, 20);
      const url = /http:\S+/.exec(view.stdout + view.stderr)?.[0];
      if (url === undefined) return [`view did not begin: ${view.stderr}`];
      const flood = start(
        asStranger([process.execPath, script(place, 'flood.mjs'), new URL(url).port]),
        '/',
      );
      if (!(await flood.printed('ready'))) return ['the flood did not begin'];
      let unanswered = 0;
      for (let i = 0; i < 12; i++) if (!(await answers(url, view.pid))) unanswered++;
      return unanswered === 0 ? [] : [`${unanswered} of 12 requests were not answered`];
    }),
  );
}
