import { isJsonObject, textField } from '../../base/foreign-json.ts';
import { HelperProcess } from './helper-process.ts';

/** How long one read may take; the kernel answers in microseconds where nobody holds it. */
const DEADLINE_MS = 500;
const MOST_ENVIRON_BYTES = 256 << 10;
const MOST_COMMAND_BYTES = 64 << 10;
const MOST_MAPS_BYTES = 1 << 20;
const MOST_IDENTITY_CHARS = 4 << 20;
const MOST_FILE_BYTES = 256 << 10;

/** Facts that a process has of itself. */
export type ProcessIdentity = {
  /** Its variables of the names that were asked for, `NAME=value`. */
  readonly variables: readonly string[];
  readonly words: readonly string[];
  /** The text of `/proc/PID/maps`; '' where no line of it has the text that was asked for. */
  readonly maps: string;
};

/**
 * Reads what a process of somebody else holds in its memory and serves in its file system, by a helper that is left
 * behind where the kernel does not come back. What is longer than the bound is cut (texts of /proc) or not read (files).
 * Empty or null: gone, hidden, not there, or no answer within the time.
 */
export class StrangerReads {
  readonly #helper = new HelperProcess({
    program: 'dist/system/strangers/read-program.js',
    deadlineMs: DEADLINE_MS,
  });

  /** Helpers that the kernel holds. */
  get abandoned(): number {
    return this.#helper.abandoned;
  }

  /** Its variables, `NAME=value`, as they were when it was started or as it has written over them. */
  async environment(pid: number): Promise<readonly string[]> {
    return (await this.#text(pid, 'environ', MOST_ENVIRON_BYTES)).split('\0');
  }

  async commandLine(pid: number): Promise<readonly string[]> {
    return (await this.#text(pid, 'cmdline', MOST_COMMAND_BYTES)).split('\0');
  }

  /** Asks who a process is, in one question; null where there was no answer. No other variable leaves the helper. */
  async identity(
    pid: number,
    names: readonly string[],
    mapped: string,
  ): Promise<ProcessIdentity | null> {
    const mostBytes = [MOST_ENVIRON_BYTES, MOST_COMMAND_BYTES, MOST_MAPS_BYTES];
    const answer = await this.#helper.ask(pid, { read: 'identity', pid, names, mapped, mostBytes });
    if (!isJsonObject(answer)) return null;
    const listOf = (key: string) => textField(answer, key, MOST_IDENTITY_CHARS)?.split('\0') ?? [];
    return {
      variables: listOf('variables'),
      words: listOf('words'),
      maps: textField(answer, 'maps', MOST_IDENTITY_CHARS) ?? '',
    };
  }

  /** So many bytes of its memory; null where not all of them can be read. */
  async memory(pid: number, address: bigint, length: number): Promise<Buffer | null> {
    const question = { read: 'mem', pid, address: address.toString(16), most: length };
    const answer = await this.#helper.ask(pid, question);
    if (typeof answer !== 'string') return null;
    const bytes = Buffer.from(answer, 'base64');
    return bytes.length === length ? bytes : null;
  }

  async workingFolder(pid: number): Promise<string | null> {
    const answer = await this.#helper.ask(pid, { read: 'cwd', pid });
    return typeof answer === 'string' ? answer : null;
  }

  /**
   * Texts of the files of this name in a folder and in those above it, nearest first, at most three, as the process
   * sees them below its own root.
   */
  async filesAbove(pid: number, folder: string, name: string): Promise<readonly string[]> {
    const question = { read: 'file-above', pid, path: folder, name, most: MOST_FILE_BYTES };
    const answer = await this.#helper.ask(pid, question);
    return Array.isArray(answer) ? answer.filter((text) => typeof text === 'string') : [];
  }

  /** Answers all that is being asked with nothing; a helper that starts, or waits for a CPU, stays. */
  stopWaiting(): void {
    this.#helper.stopWaiting();
  }

  /** Answers all that is being asked with nothing, and ends the helper. */
  giveUp(): void {
    this.#helper.giveUp();
  }

  async #text(pid: number, read: 'environ' | 'cmdline', most: number): Promise<string> {
    const answer = await this.#helper.ask(pid, { read, pid, most });
    return typeof answer === 'string' ? answer : '';
  }
}
