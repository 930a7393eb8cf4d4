// Recordings as `perf script` prints them, each with the shape of one that people make: how deep its stacks
// are, what stands above the function that all of it is about, how many threads and processes there are.

import { sample } from './recording-text.ts';

const LIBC = '(/usr/lib/libc.so.6)';
const NODE = '(/usr/bin/node)';
const KERNEL = '([kernel.kallsyms])';
const jit = (pid: number, name: string) => `JS:${name} (/tmp/perf-${pid}.map)`;

/** What stands above every callback of Node's event loop, leaf first. */
const LOOP = [
  `uv__read ${NODE}`,
  `uv__io_poll ${NODE}`,
  `uv_run ${NODE}`,
  `node::SpinEventLoopInternal(node::Environment*) ${NODE}`,
  `node::NodeMainInstance::Run() ${NODE}`,
  `node::Start(int, char**) ${NODE}`,
  `__libc_start_call_main ${LIBC}`,
];
const V8_WORKER = [`node::PlatformWorkerThread(void*) ${NODE}`, `start_thread ${LIBC}`];
const SYSCALL = [`do_syscall_64 ${KERNEL}`, `entry_SYSCALL_64_after_hwframe ${KERNEL}`];

/** One of them for each millisecond, as often as its share says. */
function pick<Item>(ms: number, choices: readonly (readonly [shares: number, item: Item])[]): Item {
  const sum = choices.reduce((total, [shares]) => total + shares, 0);
  // 7 divides no sum here: what is chosen alternates.
  let left = (ms * 7) % sum;
  for (const [shares, item] of choices) {
    if (left < shares) return item;
    left -= shares;
  }
  throw new Error('unreachable: what is left is less than the sum');
}

function everyMillisecond(count: number, lineOf: (ms: number) => string): string {
  return Array.from({ length: count }, (_, ms) => lineOf(ms)).join('\n');
}

/** A server: `score` is the hottest of its functions, below 14 frames of Node and libuv. */
export function nodeServer(): string {
  const pid = 100;
  const parse = [
    jit(pid, '*parserOnIncoming node:_http_server:1026:1'),
    jit(pid, '^parserOnHeadersComplete node:_http_common:71:1'),
    ...LOOP,
  ];
  const handle = [
    jit(pid, '*handleRequest file:///srv/shop/server.ts:19:1'),
    jit(pid, '*emit node:events:471:1'),
    ...parse,
  ];
  const score = [
    jit(pid, '*score file:///srv/shop/work.ts:39:1'),
    jit(pid, '*scoreBody file:///srv/shop/server.ts:23:1'),
    ...handle,
  ];
  const ticks = [
    jit(pid, '^processTicksAndRejections node:internal/process/task_queues:72:1'),
    ...LOOP.slice(1),
  ];
  const main: [number, string[]][] = [
    [8, score],
    [2, [`v8::internal::Heap::CollectGarbage(v8::internal::AllocationSpace) ${NODE}`, ...score]],
    [3, handle],
    [2, [jit(pid, '*add /srv/shop/node_modules/queue/index.js:3:1'), ...ticks]],
    [2, [jit(pid, '~render file:///srv/shop/page.ts:5:1'), ...handle]],
    [1, [`v8::internal::Compiler::Compile(v8::internal::Isolate*) ${NODE}`, ...parse]],
    [2, [`ksys_write ${KERNEL}`, ...SYSCALL, `write ${LIBC}`, ...parse]],
  ];
  const worker: [number, string[]][] = [
    [3, [`v8::internal::compiler::PipelineImpl::OptimizeTurbofanGraph() ${NODE}`, ...V8_WORKER]],
    [1, [`v8::internal::maglev::MaglevCompiler::Compile() ${NODE}`, ...V8_WORKER]],
  ];
  return everyMillisecond(1200, (ms) => {
    if (ms % 5 === 4) return sample('V8Worker', pid, 102 + (ms % 2), ms, pick(ms, worker));
    // It waits for a while in the middle.
    if (ms >= 600 && ms < 700) return '';
    return sample('node', pid, pid, ms, pick(ms, main));
  });
}

/** The same by `tsx`: a loader's process beside it, and most frames are those of a dependency. */
export function tsxScript(): string {
  const loader = (name: string) =>
    jit(200, `${name} file:///srv/shop/node_modules/tsx/dist/loader.mjs:1:1`);
  const run = [
    jit(200, '^run node:internal/modules/esm/module_job:318:1'),
    jit(200, '^processTicksAndRejections node:internal/process/task_queues:72:1'),
    ...LOOP.slice(1),
  ];
  const load = [loader('~resolve'), loader('~load'), loader('~transform'), ...run];
  const digest = [
    jit(200, '*digest file:///srv/shop/digest.ts:7:1'),
    jit(200, '~(anonymous) file:///srv/shop/main.ts:1:1'),
    ...run,
  ];
  return everyMillisecond(900, (ms) =>
    ms % 6 === 5
      ? sample('esbuild', 210, 210, ms, ['runtime.mcall (/srv/esbuild)', 'main (/srv/esbuild)'])
      : sample('node', 200, 200, ms, ms < 300 ? load : digest),
  );
}

/** C that touches its memory first: page faults are an event of their own. */
export function pageFaults(): string {
  const main = ['main (/srv/hot)', `__libc_start_call_main ${LIBC}`, '_start (/srv/hot)'];
  const fault = [`clear_page_erms ${KERNEL}`, `do_anonymous_page ${KERNEL}`];
  const touch = [`handle_mm_fault ${KERNEL}`, `exc_page_fault ${KERNEL}`, 'touch (/srv/hot)'];
  return everyMillisecond(800, (ms) => {
    const isTouching = ms < 200;
    const stack = isTouching ? [...fault, ...touch, ...main] : ['mix (/srv/hot)', ...main];
    const tick = sample('hot', 300, 300, ms, stack);
    if (!isTouching) return tick;
    const at = ['touch (/srv/hot)', ...main];
    return `${tick}\n${sample('hot', 300, 300, ms, at, { event: 'page-faults', period: 1 })}`;
  });
}

/** The whole machine: forty processes, none of them above a fifth, and the idle task. */
export function systemWide(): string {
  return everyMillisecond(1600, (ms) => {
    const cpu = ms % 4;
    if (ms % 4 === 0) {
      return sample('swapper', 0, 0, ms, [`pv_native_safe_halt ${KERNEL}`, `do_idle ${KERNEL}`]);
    }
    if (ms % 4 === 1) {
      return sample('encoder', 400, 400, ms, ['sad_16x16 (/usr/lib/libvpx.so)', 'main (/srv/enc)']);
    }
    const pid = 500 + (ms % 39);
    const own = [`work_${ms % 39} (/srv/service-${cpu})`, 'main (/srv/service)'];
    const kernel = [`copy_page ${KERNEL}`, ...SYSCALL, ...own];
    return sample(`service-${ms % 39}`, pid, pid, ms, ms % 3 === 0 ? kernel : own);
  });
}

/** Waits beside ticks: it works for 5 ms, then sleeps for 20. */
export function offCpu(): string {
  const main = ['main (/srv/sync)', `__libc_start_call_main ${LIBC}`];
  const lines: string[] = [];
  for (let ms = 0; ms < 1000; ms += 25) {
    for (let busy = 0; busy < 5; busy++) {
      const work = busy === 4 ? 'receive (/srv/sync)' : 'merge_rows (/srv/sync)';
      lines.push(sample('sync', 600, 600, ms + busy, [work, ...main]));
    }
    const wait = [`schedule ${KERNEL}`, ...SYSCALL, `read ${LIBC}`, 'receive (/srv/sync)', ...main];
    lines.push(sample('sync', 600, 600, ms + 5, wait, { event: 'off-cpu', period: 20_000_000 }));
  }
  return lines.join('\n');
}

/** Folded text: no times, no threads. `fib` stands 20 deep in itself. */
export function foldedText(): string {
  const fib = (depth: number) => `fib;main;${'fib;'.repeat(depth)}fib ${depth * 11}`;
  return `${Array.from({ length: 20 }, (_, depth) => fib(depth + 1)).join('\n')}\nfib;main;print 40\n`;
}
