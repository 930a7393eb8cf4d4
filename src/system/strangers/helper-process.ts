import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parseForeignJson } from '../../base/foreign-json.ts';
import { lateModules } from '../../base/late-modules.ts';
import { readStat, STAT_FIELD } from '../processes/thread-stat.ts';
import { ownProgramEnvironment } from '../system-programs.ts';
import { packageFile } from '../version.ts';
import { READY } from './serve-questions.ts';

/** A new helper on a busy machine; nobody's process is to blame for that. */
const START_MS = 5000;
/** A helper that has not begun by then never does. */
const MOST_START_MS = 60_000;
/**
 * Time without a question after which it ends: longer than an agent's windows, since a start costs
 * more than all its answers.
 */
const IDLE_MS = 90_000;
/** A longer answer is none: the helper bounds what it reads. */
const MOST_ANSWER_CHARS = 4 << 20;
/** Helpers that hang in the kernel at one time. With so many nothing is asked until one of them has ended. */
const MOST_ABANDONED = 4;
/** A process that made a helper hang is asked again after so long: its pid may be another's by then. */
const ASK_AGAIN_MS = 600_000;
const MOST_SILENT = 10_000;

export type HelperOptions = {
  /** File of this package below `dist`, which calls `serveQuestions`. */
  readonly program: string;
  /** How long one question may take. */
  readonly deadlineMs: number;
};

type Question = {
  readonly pid: number;
  readonly line: string;
  settle: (answer: unknown) => void;
};

/**
 * A child process that asks strangers in our place, one question after the other, and is left behind
 * when it does not come back. What a stranger serves can hold a thread in the kernel where no signal
 * reaches it (state D: a page or a name of a FUSE file system whose server is silent, a network file
 * system that is gone); a process cannot end before each of its threads has, so that neither a thread
 * pool nor a worker thread helps: only another process does. It is started with the first question, and
 * ends when its input ends, as it does with us.
 */
export class HelperProcess {
  readonly #program: string;
  readonly #deadlineMs: number;
  /** The first one is with the child. */
  #questions: Question[] = [];
  #child: ChildProcess | null = null;
  #isReady = false;
  #startedMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #output = '';
  #abandoned = 0;
  /** Pids that made a helper hang, and until when they are not asked. */
  readonly #silent = new Map<number, number>();

  constructor({ program, deadlineMs }: HelperOptions) {
    this.#program = packageFile(program);
    this.#deadlineMs = deadlineMs;
  }

  /** How many helpers were left behind and have not come back. */
  get abandoned(): number {
    return this.#abandoned;
  }

  /**
   * The answer to a question about a process, as the helper's JSON has it: the caller checks its shape. Undefined
   * where there is none within the time.
   */
  ask(pid: number, question: object): Promise<unknown> {
    const isSilent = (this.#silent.get(pid) ?? 0) > performance.now();
    if (isSilent || this.#abandoned >= MOST_ABANDONED) return Promise.resolve(undefined);
    return new Promise((settle) => {
      this.#questions.push({ pid, line: `${JSON.stringify(question)}\n`, settle });
      if (this.#questions.length === 1) this.#askFirst();
    });
  }

  /** Answers all questions with undefined, and leaves the helper behind. */
  giveUp(): void {
    clearTimeout(this.#timer);
    const questions = this.#questions;
    this.#questions = [];
    if (questions.length > 0) this.#abandon();
    else this.#end();
    for (const { settle } of questions) settle(undefined);
  }

  /** Answers all questions with undefined; a helper that starts, or that waits for a CPU, goes on. */
  stopWaiting(): void {
    const questions = this.#questions;
    const [first] = questions;
    for (const { settle } of questions) settle(undefined);
    if (!this.#isReady || first === undefined) {
      this.#questions = [];
      this.#askFirst();
    } else {
      // It is held to its deadline as before.
      first.settle = () => {};
      this.#questions = [first];
    }
  }

  #askFirst(): void {
    clearTimeout(this.#timer);
    const [first] = this.#questions;
    if (first === undefined) {
      this.#timer = setTimeout(() => this.#end(), IDLE_MS).unref();
      return;
    }
    this.#child ??= this.#start();
    if (this.#child === null) {
      this.#answer(undefined);
      return;
    }
    if (!this.#isReady) {
      this.#timer = setTimeout(() => this.#onSlowStart(), START_MS);
      return;
    }
    this.#awaitAnswer(first, this.#child, performance.now() + START_MS);
    this.#child.stdin?.write(first.line);
  }

  /** A helper that waits for a CPU is held by nobody: on a busy machine it has as long as for its start. */
  #awaitAnswer(first: Question, child: ChildProcess, untilMs: number): void {
    this.#timer = setTimeout(() => {
      // Where we were busy ourselves, its answer may be there already: it is read before this is called.
      setImmediate(() => {
        if (this.#questions[0] !== first || this.#child !== child) return;
        const isRunning = readStat(child.pid ?? 0)?.[STAT_FIELD.state] === 'R';
        if (isRunning && performance.now() < untilMs) this.#awaitAnswer(first, child, untilMs);
        else this.#onSilence(first.pid);
      });
    }, this.#deadlineMs);
  }

  /** Another one would begin no sooner. */
  #onSlowStart(): void {
    if (performance.now() - this.#startedMs > MOST_START_MS) this.giveUp();
    else this.stopWaiting();
  }

  #answer(answer: unknown): void {
    const first = this.#questions.shift();
    first?.settle(answer);
    this.#askFirst();
  }

  #onSilence(pid: number): void {
    if (this.#silent.size >= MOST_SILENT) this.#silent.clear();
    this.#silent.set(pid, performance.now() + ASK_AGAIN_MS);
    this.#abandon();
    if (this.#abandoned < MOST_ABANDONED) this.#answer(undefined);
    else for (const { settle } of this.#questions.splice(0)) settle(undefined);
  }

  #start(): ChildProcess | null {
    if (!existsSync(this.#program)) return null;
    const child = lateModules.childProcess.spawn(
      process.execPath,
      ['--max-old-space-size=64', '--max-semi-space-size=1', this.#program],
      // A group of its own: Ctrl-C is ours to hear.
      {
        detached: true,
        stdio: ['pipe', 'pipe', 'ignore'],
        env: ownProgramEnvironment(),
      },
    );
    this.#output = '';
    this.#isReady = false;
    this.#startedMs = performance.now();
    child.stdout.setEncoding('utf8').on('data', (text: string) => this.#onOutput(child, text));
    child.stdin.on('error', () => {});
    child.once('error', () => this.#onEnd(child));
    child.once('exit', () => this.#onEnd(child));
    child.unref();
    // Sockets of Node's own, which its types know as streams.
    for (const pipe of [child.stdin, child.stdout]) (pipe as unknown as { unref(): void }).unref();
    return child;
  }

  #onOutput(child: ChildProcess, text: string): void {
    if (child !== this.#child) return;
    this.#output += text;
    const newline = this.#output.indexOf('\n');
    if (newline >= 0) {
      const line = this.#output.slice(0, newline);
      this.#output = this.#output.slice(newline + 1);
      if (this.#isReady) this.#answer(parseForeignJson(line));
      else {
        this.#isReady = line === READY;
        this.#askFirst();
      }
    } else if (this.#output.length > MOST_ANSWER_CHARS) {
      this.#abandon();
      this.#answer(undefined);
    }
  }

  /** It has ended by itself: a limit, or somebody killed it. */
  #onEnd(child: ChildProcess): void {
    if (child !== this.#child) return;
    this.#child = null;
    if (this.#questions.length > 0) this.#answer(undefined);
  }

  #end(): void {
    const child = this.#child;
    this.#child = null;
    child?.stdin?.end();
    child?.stdout?.destroy();
  }

  #abandon(): void {
    const child = this.#child;
    this.#child = null;
    if (child === null) return;
    child.stdin?.destroy();
    child.stdout?.destroy();
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    this.#abandoned++;
    child.once('exit', () => {
      this.#abandoned--;
    });
    child.kill('SIGKILL');
  }
}
