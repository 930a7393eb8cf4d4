// biome-ignore-all lint/style/noCommonJs: used by a preload of --require.

import type { CodeEventsLibrary } from './code-events.cts';

type ContextsModule = typeof import('./contexts.cts');
/** Each program that is recorded has marks, few have contexts: their module is loaded for these. */
const contextsModule = (): ContextsModule => require('./contexts.cjs');
const heapModule = (): typeof import('./heap.cts') => require('./heap.cjs');
type OnceLoaded = typeof import('./once-loaded.cts')['onceLoaded'];
const onceLoadedHere: OnceLoaded = (name, step) =>
  (require('./once-loaded.cjs') as typeof import('./once-loaded.cts')).onceLoaded(name, step);

/** Exports of the code-events library for marks, see `native/glue/code_events_addon.cc`. */
type Library = Pick<
  CodeEventsLibrary,
  'begin' | 'end' | 'add' | 'note' | 'startHeap' | 'takeHeap'
> &
  Parameters<ContextsModule['openContexts']>[1];

type Request = {
  readonly method?: string;
  /** The path that a server is asked for. */
  readonly url?: string;
  /** The same of a client, with its server. */
  readonly path?: string;
  readonly origin?: unknown;
  readonly host?: string;
  getHeader?(name: string): unknown;
  /** Express sets both. */
  readonly baseUrl?: string;
  readonly route?: { readonly path?: unknown };
};
type EntryType = import('node:perf_hooks').EntryType;
type ChildProcess = {
  readonly spawnfile?: string;
  readonly _handle?: { close(...args: unknown[]): unknown } | null;
};
/** A request of HTTP/2. */
type Stream = { readonly id?: number; readonly sentHeaders?: Headers };
type Headers = {
  readonly ':method'?: string;
  readonly ':authority'?: string;
  readonly ':path'?: string;
  readonly ':status'?: number;
};
type Message = {
  readonly process?: ChildProcess;
  readonly request: Request & {
    readonly raw?: { readonly socket: object; readonly stream?: Stream };
  };
  readonly stream: Stream;
  readonly headers: Headers;
  readonly socket: object;
  readonly response?: { readonly statusCode?: number };
  /** Fastify gives its channels one. */
  readonly route?: { readonly url?: unknown };
};
/** Tools of the parts below. */
type Tools = {
  readonly require: NodeJS.Require;
  readonly library: Library;
  /** The name of the recorder's. */
  readonly socket: string;
  /** Opens the contexts of requests; null where the recorder wants none. */
  readonly contexts: (() => ReturnType<ContextsModule['openContexts']>) | null;
  /** The kind with what the next mark stands for; −1: it is left out. */
  keep(kind: number): number;
  /** The part of a text that a name may have. */
  cut(name: unknown): string;
  /** A path without its query, which may have secrets. */
  pathOf(url: string | undefined): string;
  /** Begins the mark of a request that a server answers, in a context of its own; 0: it has no mark. */
  begin(method?: string, path?: string): number;
  /** A stream that the server of HTTP/2 begins itself. */
  isPushed(stream: Stream): boolean;
  /** A step that never throws. */
  attempt<Of>(step: (of: Of) => void): (of: Of) => void;
  /** Runs a step once Node has loaded a module of its own; returns what ends the waiting. */
  readonly onceLoaded: OnceLoaded;
  /** Subscribes to a channel; returns what ends it. */
  subscribe(channel: string, subscriber: (message: Message) => void): () => void;
  /** Calls `see` behind a method of `of` or of what that inherits from, and `before` in front of it. */
  watch(
    of: object,
    name: string,
    see: (result: unknown, args: readonly unknown[], self: unknown) => void,
    before?: (args: readonly unknown[]) => void,
  ): void;
  /** Steps that leave nothing behind. */
  readonly undo: (() => void)[];
};
/** A request that has not ended. */
type Place = {
  request: object | null;
  id: number;
  route: string | null;
  status?: number;
  method?: string;
};
type Method = (...args: unknown[]) => unknown;
type Entry = { readonly name: string; readonly startTime: number; readonly duration: number };

const PARTS: readonly ((tools: Tools) => void)[] = [
  watchMethods,
  beginRequests,
  watchServers,
  watchCalls,
  watchWaits,
  watchTimes,
  watchSpans,
];

/**
 * Reports what a thread of the program does as marks: requests that it answers and makes, by the channels of Node and of
 * Fastify, what else it waits for, and the times that it takes itself. Returns what ends it. A request costs two calls into the library. `socket`: the name
 * of the recorder's.
 */
exports.watchMarks = (require: NodeJS.Require, library: Library, socket: string): (() => void) =>
  watchParts(
    require,
    library,
    socket,
    wantsContexts(socket) ? contextsModule().openContexts : null,
    wantsHeap(socket) ? [...PARTS, heapModule().watchHeap] : PARTS,
    onceLoadedHere,
  );

/** The same as the text of a function, for `take-in`, in programs that have begun. */
exports.watchMarksText = (): string =>
  `(require, library, socket) => (${watchParts})(require, library, socket, (${wantsContexts})(socket) ? ${contextsModule().openContextsText()} : null, [${PARTS}, ...((${wantsHeap})(socket) ? [${heapModule().watchHeapText()}] : [])])`;

// The functions below run by their text as well: they use nothing of this file, and only what Node 18 has. Nothing in
// them may throw: an error of a channel's subscriber ends the program. Kinds are those of `profile/mark-table.ts`.

/** Whether the recorder with this socket asks for the request of each sample. */
function wantsContexts(socket: string): boolean {
  return /-(?:requests|stacks)$/.test(socket);
}

/** Whether the recorder with this socket asks for the samples of V8's heap. */
function wantsHeap(socket: string): boolean {
  return /-(?:allocated|live)\b/.test(socket);
}

/**
 * Keeps 32 768 marks of each kind, eight times as many with contexts; behind these each stands for two, behind twice as many for four …, so that those of a
 * day are some megabytes.
 */
function watchParts(
  require: NodeJS.Require,
  library: Library,
  socket: string,
  open: ContextsModule['openContexts'] | null,
  parts: readonly ((tools: Tools) => void)[],
  onceLoaded: OnceLoaded = (_name, step) => {
    step();
    return () => {};
  },
): () => void {
  /** A sample can be put down to a request that is kept only. */
  const KEPT = open !== null ? 262_144 : 32_768;
  const MOST_NAME = 128;
  const counts = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  const logs = [...counts];
  /** Bits of a count that are 0 in those that are kept: a remainder and a power cost more than the mark. */
  const masks = [...counts];
  const keep = (kind: number): number => {
    const count = counts[kind]++;
    if ((count & masks[kind]) !== 0) return -1;
    if (count === KEPT * (masks[kind] + 1)) {
      logs[kind]++;
      masks[kind] = 2 * masks[kind] + 1;
    }
    return kind + 256 * logs[kind];
  };
  const cut = (name: unknown): string => (typeof name === 'string' ? name.slice(0, MOST_NAME) : '');
  const pathOf = (url = ''): string => {
    const query = url.indexOf('?');
    return query < 0 ? cut(url) : url.slice(0, Math.min(query, MOST_NAME));
  };
  const attempt: Tools['attempt'] = (step) => (of) => {
    try {
      step(of);
    } catch {
      // The program runs as it does without us.
    }
  };
  const isPushed = ({ id = 1 }: Stream): boolean => id % 2 === 0;
  const undo: (() => void)[] = [];
  const channels = require('node:diagnostics_channel') as typeof import('node:diagnostics_channel');
  const subscribe: Tools['subscribe'] = (channel, subscriber) => {
    const safe = attempt(subscriber) as Parameters<typeof channels.subscribe>[1];
    const end = () => void channels.unsubscribe(channel, safe);
    channels.subscribe(channel, safe);
    undo.push(end);
    return end;
  };
  const contexts = open && (() => open(require, library, socket.endsWith('-stacks')));
  const tools: Tools = {
    require,
    library,
    socket,
    contexts,
    keep,
    cut,
    pathOf,
    begin: () => 0,
    isPushed,
    attempt,
    onceLoaded,
    subscribe,
    watch: () => {},
    undo,
  };
  for (const part of parts) attempt(part)(tools);
  return () => {
    for (const step of undo.splice(0)) attempt(step)(undefined);
  };
}

/** Gives the tools `begin`. */
function beginRequests(tools: Tools): void {
  const { library, keep, undo } = tools;
  let { contexts: openOf } = tools;
  /** Opened by the first request. */
  let contexts: ReturnType<ContextsModule['openContexts']> = null;
  const SERVER = 1;
  tools.begin = (method, path) => {
    if (openOf !== null) {
      const open = openOf;
      openOf = null;
      contexts = open();
      if (contexts !== null) undo.push(contexts.end);
    }
    const kept = keep(SERVER);
    const id = kept < 0 ? 0 : library.begin(kept, method, path);
    contexts?.enter(id);
    return id;
  };
}

function watchServers(tools: Tools): void {
  const { library, cut, begin, subscribe, isPushed } = tools;
  // Fastify's channel costs as much as ten others: it is asked for so many requests, which teach their routes.
  const LESSONS = 4096;
  /** The name of a request whose route is one of those that were taught. */
  const AS_TAUGHT = '=';
  const MOST_ROUTES = 1000;
  let lessons = 0;
  /** Requests by the socket that they came by, which has one at a time: a place for each request costs more. */
  const bySocket = new WeakMap<object, Place>();
  /** All others. */
  const places = new WeakMap<object, Place>();
  let others = 0;
  const placeOf = (request: object, socket: object): Place | undefined => {
    const place = bySocket.get(socket);
    if (place !== undefined && place.request === request) return place;
    return others === 0 ? undefined : places.get(request);
  };
  /** Names of routes: the sum of two texts costs more than the mark when it is read. */
  const names = new Map<string, { readonly method: unknown; readonly name: string }>();
  const nameOf = (method: unknown, route: string): string => {
    if (route === '') return '';
    const known = names.get(route);
    if (known !== undefined && known.method === method) return known.name;
    const name = cut(`${method} ${route}`);
    if (known !== undefined || names.size < MOST_ROUTES) names.set(route, { method, name });
    return name;
  };
  const routeOf = (place: Place, { route, baseUrl = '' }: Request): string => {
    const path = route?.path;
    return place.route ?? (typeof path === 'string' ? `${baseUrl}${path}` : '');
  };
  const end = (id: number, status = 0, method = '', route = ''): void =>
    library.end(id, status, lessons === LESSONS ? AS_TAUGHT : nameOf(method, route));
  subscribe('http.server.request.start', ({ request, socket }) => {
    const id = begin(request.method, request.url);
    if (id === 0) return;
    const place = bySocket.get(socket);
    if (place !== undefined && place.request !== null) {
      others++;
      places.set(request, { request, id, route: null });
    } else if (place === undefined) bySocket.set(socket, { request, id, route: null });
    else {
      place.request = request;
      place.id = id;
      place.route = null;
    }
  });
  subscribe('http.server.response.finish', ({ request, response, socket }) => {
    const place = placeOf(request, socket);
    if (place === undefined) return;
    place.request = null;
    end(place.id, response?.statusCode, request.method, routeOf(place, request));
  });
  subscribe('http2.server.stream.start', ({ stream, headers }) => {
    if (isPushed(stream)) return;
    const method = headers[':method'] ?? '';
    const id = begin(method, headers[':path']);
    if (id !== 0) places.set(stream, { request: stream, id, route: null, method });
  });
  subscribe('http2.server.stream.close', ({ stream }) => {
    const place = places.get(stream);
    if (place === undefined) return;
    places.delete(stream);
    end(place.id, stream.sentHeaders?.[':status'], place.method, place.route ?? undefined);
  });
  const endLessons = subscribe(
    'tracing:fastify.request.handler:start',
    ({ request: { raw }, route }) => {
      const place = raw && (places.get(raw.stream ?? raw) ?? placeOf(raw, raw.socket));
      if (++lessons === LESSONS) endLessons();
      if (place !== undefined && typeof route?.url === 'string') place.route = route.url;
    },
  );
}

/** Requests of `node:http`, of `node:http2`, and of undici, whose `fetch` Node has. */
function watchCalls({ library, keep, cut, pathOf, isPushed, subscribe }: Tools): void {
  const CLIENT = 2;
  const places = new WeakMap<object, Place>();
  const beginOf = (of: object, method: unknown, host: unknown, path?: string): void => {
    const kept = keep(CLIENT);
    if (kept < 0) return;
    const name = `${cut(method)} ${cut(host).replace(/^https?:\/\//, '')}${pathOf(path)}`;
    places.set(of, { request: of, id: library.begin(kept, name), route: null });
  };
  const endOf = (of: object, status?: number): void => {
    const place = places.get(of);
    if (place === undefined) return;
    places.delete(of);
    library.end(place.id, status ?? place.status ?? 0, '');
  };
  const begin = ({ request }: Message): void => {
    const host = request.origin ?? request.getHeader?.('host') ?? request.host;
    beginOf(request, request.method, host, request.path);
  };
  const end = ({ request, response }: Message): void => endOf(request, response?.statusCode);
  subscribe('http.client.request.start', begin);
  subscribe('http.client.response.finish', end);
  subscribe('http.client.request.error', end);
  subscribe('undici:request:create', begin);
  subscribe('undici:request:headers', ({ request, response }) => {
    const place = places.get(request);
    if (place !== undefined) place.status = response?.statusCode ?? 0;
  });
  subscribe('undici:request:trailers', end);
  subscribe('undici:request:error', end);
  subscribe('http2.client.stream.created', ({ stream, headers }) => {
    if (isPushed(stream)) return;
    beginOf(stream, headers[':method'], headers[':authority'], headers[':path']);
  });
  subscribe('http2.client.stream.finish', ({ stream, headers }) => {
    const place = places.get(stream);
    if (place !== undefined) place.status = headers[':status'] ?? 0;
  });
  subscribe('http2.client.stream.close', ({ stream }) => endOf(stream));
}

/** Names that are looked up, connections that are made, and child processes that are waited for by callbacks. */
function watchWaits({ require, library, keep, cut, attempt, subscribe, undo }: Tools): void {
  const [LOOKUP, CONNECTION, CHILD] = [6, 7, 8];
  type Detail = { readonly hostname?: string; readonly host?: string; readonly port?: number };
  type Waited = Entry & { readonly entryType: string; readonly detail?: Detail };
  const add = ({ entryType, name, detail = {}, startTime, duration }: Waited): void => {
    const { hostname, host, port } = detail;
    const kept = keep(entryType === 'net' ? CONNECTION : LOOKUP);
    if (kept < 0) return;
    const text = entryType === 'net' ? `${host}:${port}` : `${name} ${hostname}`;
    library.add(kept, performance.now() - startTime, duration, cut(text));
  };
  let isObserved = false;
  // An observer takes a millisecond to make, which a program that never connects is spared.
  subscribe('net.client.socket', () => {
    if (isObserved) return;
    isObserved = true;
    const hooks = require('node:perf_hooks') as typeof import('node:perf_hooks');
    const observer = new hooks.PerformanceObserver((list) =>
      (list.getEntries() as Waited[]).forEach(attempt(add)),
    );
    observer.observe({ entryTypes: ['dns', 'net'] as unknown as EntryType[] });
    undo.push(() => observer.disconnect());
  });
  subscribe('child_process', ({ process: child }) => {
    const handle = child?._handle;
    const kept = handle ? keep(CHILD) : -1;
    if (!child || !handle || kept < 0) return;
    const id = library.begin(kept, 'child process');
    // Node closes it before the program hears of the exit, so that no stack of the program has our frame.
    const close = (...args: unknown[]): unknown => {
      Reflect.deleteProperty(handle, 'close');
      attempt(() => library.end(id, 0, cut(child.spawnfile)))(undefined);
      return Reflect.apply(handle.close, handle, args);
    };
    Object.defineProperty(handle, 'close', { value: close, configurable: true });
  });
}

/** Gives the tools `watch`: the program finds the same functions, errors and stacks as without us. */
function watchMethods(tools: Tools): void {
  const { attempt, undo } = tools;
  /** Takes our frame, the trap below, out of the stack of an error, and leaves as many frames as without us. */
  const hideTrap = attempt((error: unknown): void => {
    const { stack } = error as { stack?: unknown };
    if (typeof stack !== 'string') return;
    let left = Error.stackTraceLimit - 1;
    const isShown = (line: string): boolean =>
      !line.startsWith('    at ') || (!line.includes('perfTsWatched') && left-- > 0);
    (error as { stack: string }).stack = stack.split('\n').filter(isShown).join('\n');
  });
  tools.watch = (of, name, see, before) => {
    let owner = of;
    while (!Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner) as object;
    const found = Object.getOwnPropertyDescriptor(owner, name) as PropertyDescriptor;
    if (typeof found.value !== 'function') return;
    const value = new Proxy(found.value as Method, {
      apply: function perfTsWatched(target, self, args) {
        if (before !== undefined) attempt(before)(args);
        const { stackTraceLimit } = Error;
        const isLimited = typeof stackTraceLimit === 'number';
        if (isLimited) Reflect.set(Error, 'stackTraceLimit', stackTraceLimit + 1);
        try {
          const result = Reflect.apply(target, self, args);
          attempt(() => see(result, args, self))(undefined);
          return result;
        } catch (error) {
          hideTrap(error);
          throw error;
        } finally {
          if (isLimited) Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
        }
      },
    });
    if (!Reflect.defineProperty(owner, name, { ...found, value })) return;
    undo.push(() => {
      if (Reflect.get(owner, name) === value) Reflect.defineProperty(owner, name, found);
    });
  };
}

/** Times that the program takes itself. */
function watchTimes(tools: Tools): void {
  const { require, library, keep, cut, attempt, onceLoaded, watch, undo } = tools;
  const [MEASURE, MOMENT, CONSOLE] = [3, 4, 5];
  const MOST_LABELS = 1000;
  const watchPerformance = (): void => {
    const { performance } = require('node:perf_hooks') as typeof import('node:perf_hooks');
    const add = (kind: number, entry: unknown): void => {
      const { name, startTime, duration } = entry as Entry;
      const kept = keep(kind);
      if (kept >= 0) library.add(kept, performance.now() - startTime, duration, cut(name));
    };
    attempt(() => watch(performance, 'measure', (entry) => add(MEASURE, entry)))(undefined);
    attempt(() => watch(performance, 'mark', (entry) => add(MOMENT, entry)))(undefined);
  };
  undo.push(onceLoaded('perf_hooks', () => attempt(watchPerformance)(undefined)));
  const labels = new Map<string, number>();
  watch(console, 'time', (_result, [label = 'default']) => {
    const key = cut(label);
    const kept = labels.has(key) || labels.size === MOST_LABELS ? -1 : keep(CONSOLE);
    if (kept >= 0) labels.set(key, library.begin(kept, key));
  });
  watch(console, 'timeEnd', (_result, [label = 'default']) => {
    const id = labels.get(cut(label));
    if (id !== undefined) library.end(id, 0, '');
    labels.delete(cut(label));
  });
}

/** Spans of OpenTelemetry: the global of its API has an SDK once the program has made one, and is looked at at its first requests. */
function watchSpans({ library, keep, cut, subscribe, watch }: Tools): void {
  const SPAN = 9;
  const LOOKS = 64;
  type Span = { readonly name?: unknown; isRecording?(): boolean };
  type Provider = { getDelegate?(): Provider; getTracer?(name: string): object };
  const api = Symbol.for('opentelemetry.js.api.1');
  const spans = new WeakMap<object, number>();
  let looks = LOOKS;
  let areWatched = false;
  const beginSpan = (span: unknown, [name]: readonly unknown[]): void => {
    if ((span as Span).isRecording?.() !== true) return;
    const kept = keep(SPAN);
    if (kept >= 0) spans.set(span as object, library.begin(kept, cut(name)));
    if (areWatched) return;
    areWatched = true;
    watch(span as object, 'end', (_result, _args, self) => {
      const id = spans.get(self as object);
      if (id !== undefined) library.end(id, 0, cut((self as Span).name));
      spans.delete(self as object);
    });
  };
  const look = (): void => {
    // To end the subscription from within would keep the message from the next subscriber.
    if (looks-- <= 0) return;
    const { trace } = (Reflect.get(globalThis, api) ?? {}) as { readonly trace?: Provider };
    const provider = trace?.getDelegate?.() ?? trace;
    const tracer = provider?.getTracer?.('perf-ts') as { startSpan?(name: string): unknown };
    // Without an SDK its spans record nothing.
    if (tracer === undefined || tracer.constructor.name === 'NoopTracer') return;
    looks = 0;
    watch(tracer, 'startSpan', beginSpan);
  };
  const CHANNELS = [
    'http.server.request.start',
    'http.client.request.start',
    'undici:request:create',
    'http2.server.stream.start',
    'http2.client.stream.created',
  ];
  for (const channel of CHANNELS) subscribe(channel, look);
}

export declare function watchMarks(
  require: NodeJS.Require,
  library: Library,
  socket: string,
): () => void;
export declare function watchMarksText(): string;
