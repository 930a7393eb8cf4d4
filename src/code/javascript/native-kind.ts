import type { FuncCategory } from '../../profile/types.ts';

/**
 * Finds the purpose of a native function of a program of JavaScript by its name alone: the names are in the
 * binaries of Node 18 to 26. A function that no pattern knows has no kind.
 */
export type NativeKind = keyof typeof NATIVE_KINDS;

/**
 * A run of native frames is one frame, of the kind with the highest `rank`, the outermost of equals.
 * Kinds with `isRoot` are where a thread begins; those with `isCharged` are V8's way of running the
 * function of JavaScript that stands before them, whose own time they are.
 */
type KindFacts = {
  readonly label: string;
  readonly rank: number;
  readonly category: FuncCategory;
  readonly isRoot?: true;
  readonly isCharged?: true;
};

const NATIVE_KINDS = {
  builtin: { label: '(V8 built-ins)', rank: 2, category: 'V8', isCharged: true },
  runtime: { label: '(V8 runtime)', rank: 3, category: 'V8', isCharged: true },
  idle: { label: '(Node C++)', rank: 4, category: 'node internal' },
  poll: { label: '(libuv)', rank: 4, category: 'node internal' },
  libuv: { label: '(libuv)', rank: 5, category: 'node internal' },
  node: { label: '(Node C++)', rank: 6, category: 'node internal' },
  parse: { label: '(parse & compile)', rank: 7, category: 'V8' },
  sparkplug: { label: '(compiler: Sparkplug)', rank: 8, category: 'V8' },
  maglev: { label: '(compiler: Maglev)', rank: 8, category: 'V8' },
  turbofan: { label: '(compiler: TurboFan)', rank: 8, category: 'V8' },
  wasm: { label: '(compiler: WebAssembly)', rank: 8, category: 'V8' },
  gc: { label: '(garbage collector)', rank: 9, category: 'GC' },
  recorder: { label: '(perf-ts)', rank: 10, category: 'native' },
  microtasks: { label: '(microtasks)', rank: 0, category: 'node internal' },
  startUp: { label: '(start-up)', rank: 1, category: 'node internal', isRoot: true },
  eventLoop: { label: '(event loop)', rank: 2, category: 'node internal', isRoot: true },
  inspector: { label: '(inspector)', rank: 3, category: 'node internal', isRoot: true },
  uvWorker: { label: '(libuv worker)', rank: 3, category: 'node internal', isRoot: true },
  v8Worker: { label: '(V8 worker)', rank: 3, category: 'V8', isRoot: true },
} as const satisfies Readonly<Record<string, KindFacts>>;

/** Facts of a kind, without what sets it apart from others. */
export function kindFacts(kind: NativeKind): KindFacts {
  return NATIVE_KINDS[kind];
}

/** The category of the functions that a frame of a kind stands for; null for a label of no kind of native code. */
export function categoryOfKind(label: string): FuncCategory | null {
  return CATEGORY_OF_LABEL.get(label) ?? null;
}

const CATEGORY_OF_LABEL = new Map<string, FuncCategory>(
  Object.values(NATIVE_KINDS).map(({ label, category }) => [label, category]),
);

/** Names in `v8::internal::` of collecting garbage: where it is begun, on any thread. */
const COLLECTS = new RegExp(
  `^v8::internal::(?:${[
    'Heap::(?:Collect|PerformGarbageCollection|Scavenge|MinorMark|MarkCompact|StartIncrementalMarking)\\w*',
    'Heap::(?:FinalizeIncrementalMarking|HandleGCRequest|EnsureSweepingCompleted|CompleteSweeping)\\w*',
    '(?:Incremental|Concurrent|Minor|Main)?Mark(?:ing|er|Compact|Sweep)?(?:[A-Z]\\w*)?',
    'Minor(?:GC|Mark)\\w*|Scaveng\\w*|\\w*Sweep\\w*|\\w*Evacuat\\w*|PointersUpdating\\w*|\\w*Clearing\\w*|Clear\\w*Job\\w*',
    'SemiSpaceNewSpace::(?:Evacuate\\w*|ShouldBePromoted)|RememberedSetUpdatingItem',
    'GCTracer|StressConcurrentAllocator|CppHeap|UnifiedHeap\\w*|MemoryReducer|\\w*StringTableCleaner\\w*',
  ].join('|')})(?:::|<|$)`,
);
/** Templates that a visitor of the collector goes over objects with, and visitors of roots. */
const VISITS =
  /^v8::internal::(?:BodyDescriptor\w*::\w+<v8::internal::|Root)\w*(?:Scaveng|Mark)\w*Visitor/;
const CPP_COLLECTS = /^(?:cppgc::internal::\w*(?:Mark|Sweep|Compact)|heap::base::Stack::)/;
const PARSES =
  /^v8::(?:ScriptCompiler|Script::Compile|internal::(?:interpreter|parsing|Compiler|(?:Pre)?Parser\w*|Scanner\w*|\w*Utf16CharacterStream|\w*Ast\w*|Parse\w*|\w*Scope|Rewriter|\w*Rewriter|Unoptimized\w*|BackgroundCompileTask|LazyCompileDispatcher|CodeSerializer|FunctionLiteral|VariableMap|BytecodeArray\w*|BytecodeGenerator))(?:::|<|$)/;
const COMPILES_WASM =
  /^v8::internal::(?:wasm::.*(?:Compil|Liftoff|Decod|Validat|NativeModule)|compiler::ExecuteTurbofanWasm)/;

/** First match decides. Names are without return types, parameters and anonymous namespaces. */
const KIND_OF_NAME: readonly (readonly [pattern: RegExp, kind: NativeKind])[] = [
  [/^(?:Builtins_RunMicrotasks|v8::internal::MicrotaskQueue::RunMicrotasks)$/, 'microtasks'],
  [
    /^(?:Builtins_|Builtin:|BytecodeHandler:|Stub:|\[interpreter\]$|(?:wasm-to-js|js-to-wasm)\b)/,
    'builtin',
  ],
  [
    /^v8::platform::(?:Default|Worker)\w*(?:Thread|Runner|Worker)|^node::(?:PlatformWorkerThread$|WorkerThreadsTaskRunner::)/,
    'v8Worker',
  ],
  [COLLECTS, 'gc'],
  [VISITS, 'gc'],
  [CPP_COLLECTS, 'gc'],
  [COMPILES_WASM, 'wasm'],
  [/^v8::internal::(?:maglev::|\w*Maglev)/, 'maglev'],
  [/^v8::internal::(?:compiler::|OptimizingCompileDispatcher|\w*Turbofan)/, 'turbofan'],
  [/^v8::internal::(?:baseline::|\w*[bB]aseline\w*Compile|CompileAllWithBaseline)/, 'sparkplug'],
  [PARSES, 'parse'],
  [/^node::inspector::.*(?:StartIoThread|InspectorIo)/, 'inspector'],
  [/^(?:uv_run$|node::SpinEventLoop)/, 'eventLoop'],
  [
    /^node::(?:LoadEnvironment|StartExecution|CreateEnvironment|InitializeOncePerProcess|InitializeNode|NewIsolate|NodeMainInstance::(?:CreateMainEnvironment|NodeMainInstance)|worker::Worker::(?:StartThread|Run)\b|worker::WorkerThreadData)/,
    'startUp',
  ],
  [/^(?:uv__io_poll|uv__epoll_wait)(?:\.|$)/, 'poll'],
  [/^uv__?(?:cond|mutex|sem|rwlock|barrier|once|thread)_/, 'poll'],
  [/^uv_/, 'libuv'],
  [/^node::(?:TaskQueue\b.*::BlockingPop|ConditionVariableBase|MutexBase)/, 'idle'],
  [/^v8::(?:base::(?:ConditionVariable|\w*Mutex|Semaphore)|platform)::/, 'idle'],
  [/^(?:v8|cppgc|heap::base|v8impl)::|^(?:napi|node_api)_/, 'runtime'],
  [/^node::/, 'node'],
];
/** libuv's threads begin in a function that many programs have, too: it counts beside V8's names only. */
const UV_WORKER = /^(?:uv__)?worker$|^uv__thread_pool/;

/** Names of templates have a return type, and `auto`; thunks state which function they lead to. */
const BEFORE_NAME = /^(?:(?:non-)?virtual thunk to )?/;

/**
 * Returns the kind of a native function by its name as `shortName` cuts it; null for one that is not
 * V8's, libuv's or Node's by its name.
 */
export function kindOfNative(name: string): NativeKind | null {
  const plain = plainName(name);
  return KIND_OF_NAME.find(([pattern]) => pattern.test(plain))?.[1] ?? null;
}

/** Whether a function of the binary that V8's functions lie in is where libuv's threads begin. */
export function isUvWorker(name: string): boolean {
  return UV_WORKER.test(plainName(name));
}

function plainName(name: string): string {
  return name.replace(BEFORE_NAME, '').replaceAll('(anonymous namespace)::', '');
}

/** Files that hold V8 by their names, for those whose symbols were stripped. */
const RUNTIME = /^(?:node(?:js)?|deno|electron|libnode\.so[.\d]*)$/;

export function isRuntimeFile(dsoName: string): boolean {
  return RUNTIME.test(dsoName);
}
