import { closeSync, constants, createReadStream, fstatSync, openSync, writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { FailedError, UsageError } from '../base/errors.ts';
import { lateModules } from '../base/late-modules.ts';
import { printable } from '../base/printable.ts';
import { type Text, words } from '../base/words.ts';
import { OptionError } from '../options/option-error.ts';
import { RECORD } from '../options/record.ts';

/** The places that commands come from and are acknowledged to: descriptors, or paths of FIFOs. */
export type ControlPlaces =
  | { readonly kind: 'fd'; readonly commands: number; readonly ack: number | null }
  | { readonly kind: 'fifo'; readonly commands: string; readonly ack: string | null };

/** The actions of the commands. */
export type ControlActions = {
  enable(): void;
  disable(): void;
  /** Writes what overwritten rings hold, or begins a new file. */
  snapshot(): void;
  stop(): void;
  /** Names of the events. */
  events(): readonly string[];
};

/** Reads `fd:COMMANDS[,ACK]` and `fifo:COMMANDS[,ACK]`, as perf's `--control`. */
export function parseControl(text: string): ControlPlaces {
  const match = /^(fd|fifo):([^,]+)(?:,(.+))?$/.exec(text);
  const [, kind, commands = '', ack = null] = match ?? [];
  if (kind === 'fifo') return { kind, commands, ack };
  const isNumber = (part: string | null) => part === null || /^\d{1,9}$/.test(part);
  if (kind !== 'fd' || !isNumber(commands) || !isNumber(ack)) {
    throw new OptionError(RECORD.control, 'expected fd:COMMANDS[,ACK] or fifo:COMMANDS[,ACK]', {
      given: text,
    });
  }
  return { kind, commands: Number(commands), ack: ack === null ? null : Number(ack) };
}

/** A command is a word and a line end; nobody needs more than this before one. */
const LONGEST_COMMAND = 4096;
const ACKNOWLEDGED = 'ack\n';

/** Descriptors of the places; `opened` are those that are ours to close. */
type OpenPlaces = {
  readonly commands: number;
  readonly ack: number | null;
  readonly opened: readonly number[];
};

/**
 * Does what others ask for while a recording runs, one command a line:
 *
 *     enable  disable  snapshot  stop  ping  evlist
 *
 * Each that is known is acknowledged when it was done.
 */
export class Control {
  readonly #actions: ControlActions;
  readonly #onNotice: (notice: Text) => void;
  readonly #input: Socket | ReturnType<typeof createReadStream>;
  readonly #ackFd: number | null;
  /** FIFOs that were opened by path; the commands' comes first. */
  readonly #opened: readonly number[];
  #rest = '';

  private constructor(fds: OpenPlaces, actions: ControlActions, onNotice: (notice: Text) => void) {
    this.#actions = actions;
    this.#onNotice = onNotice;
    this.#ackFd = fds.ack;
    this.#opened = fds.opened;
    this.#input = inputFrom(fds.commands);
    this.#input.on('data', (bytes: Buffer | string) => this.#take(String(bytes)));
    // Whoever gave the commands may go: the recording goes on.
    this.#input.on('error', () => {});
    if (this.#input instanceof lateModules.net.Socket) this.#input.unref();
  }

  /** Opens the places and begins to listen. */
  static open(
    places: ControlPlaces,
    actions: ControlActions,
    onNotice: (notice: Text) => void,
  ): Control {
    return new Control(openPlaces(places), actions, onNotice);
  }

  close(): void {
    this.#input.destroy();
    const own =
      this.#input instanceof lateModules.net.Socket ? this.#opened.slice(1) : this.#opened;
    for (const fd of own) closeQuietly(fd);
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split(/[\n\0]/);
    this.#rest = (lines.pop() as string).slice(0, LONGEST_COMMAND);
    for (const line of lines) {
      const command = line.trim();
      if (command !== '' && this.#run(command)) this.#acknowledge();
    }
  }

  /** Whether the command is known. */
  #run(command: string): boolean {
    switch (command) {
      case 'enable':
        this.#actions.enable();
        return true;
      case 'disable':
        this.#actions.disable();
        return true;
      case 'snapshot':
        this.#actions.snapshot();
        return true;
      case 'stop':
        this.#actions.stop();
        return true;
      case 'ping':
        return true;
      case 'evlist':
        this.#onNotice(`events: ${this.#actions.events().join(', ')}`);
        return true;
      default:
        this.#onNotice(
          words`${RECORD.control}: unknown command ${printable(command.slice(0, 40))} (known: enable, disable, snapshot, stop, ping, evlist)`,
        );
        return false;
    }
  }

  #acknowledge(): void {
    if (this.#ackFd === null) return;
    try {
      writeSync(this.#ackFd, ACKNOWLEDGED);
    } catch {
      // Nobody reads them: the command was done all the same.
    }
  }
}

/** Throws where one can't be opened; nothing stays open then. */
function openPlaces(places: ControlPlaces): OpenPlaces {
  const isOpenedHere = places.kind === 'fifo';
  const commands = openPlace(places.commands);
  try {
    const ack = places.ack === null ? null : openPlace(places.ack);
    const opened = ack === null ? [commands] : [commands, ack];
    return { commands, ack, opened: isOpenedHere ? opened : [] };
  } catch (error) {
    if (isOpenedHere) closeSync(commands);
    throw error;
  }
}

/** A FIFO is opened for both directions, so that it needs nobody at its other end yet. */
function openPlace(place: number | string): number {
  if (typeof place === 'number') {
    try {
      fstatSync(place);
      return place;
    } catch {
      throw new UsageError(words`${RECORD.control} fd:${place}: this descriptor is not open`);
    }
  }
  const shown = printable(place);
  let fd: number;
  try {
    fd = openSync(place, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    throw new FailedError(words`${RECORD.control} fifo:${shown}: ${(error as Error).message}`, [
      `make it first: mkfifo ${shown}`,
    ]);
  }
  if (!fstatSync(fd).isFIFO()) {
    closeSync(fd);
    throw new UsageError(words`${RECORD.control} fifo:${shown}: this is no FIFO`, [
      `make one: mkfifo ${shown}`,
    ]);
  }
  return fd;
}

/** Pipes, FIFOs and sockets by events; anything else as a file is read. */
function inputFrom(fd: number): Socket | ReturnType<typeof createReadStream> {
  const status = fstatSync(fd);
  if (status.isFIFO() || status.isSocket()) {
    return new lateModules.net.Socket({ fd, readable: true, writable: false });
  }
  return createReadStream('', { fd, autoClose: false });
}

function closeQuietly(fd: number): void {
  try {
    closeSync(fd);
  } catch {
    // It was closed with the stream that read it.
  }
}
