// Hot: once per read of a group.

import { CounterError } from './counter-error.ts';

/**
 * Layout of a read(2) of a group leader with PERF_FORMAT_GROUP, ID, TOTAL_TIME_ENABLED,
 * TOTAL_TIME_RUNNING, and LOST where the kernel has it (Linux 6.0):
 *
 *     struct read_format {
 *         u64 nr;                 // events in the group
 *         u64 time_enabled;       // nanoseconds; never reset
 *         u64 time_running;       // of these, on the PMU
 *         struct {
 *             u64 value;
 *             u64 id;             // the kernel's, as PERF_EVENT_IOC_ID tells it
 *             u64 lost;           // if LOST: records, of interest to samples only
 *         } cntr[nr];
 *     };
 */
const HEADER_WORDS = 3;
const TWO_32 = 2 ** 32;

const ENABLED_WORD = 1;
const RUNNING_WORD = 2;

/** Memory for the readings of one group, and where in it each event's value is. */
export class GroupLayout {
  /** The buffer that the kernel writes into. */
  readonly words: BigUint64Array<ArrayBuffer>;
  /** Per event, in the order asked for: where its value was in the last reading, as index. */
  readonly #valueWords: Int32Array;
  /** The memory of the reading as halves, lower one first: the addon exists for little-endian machines. */
  readonly #halves: Uint32Array;
  readonly #idHalves: Uint32Array;
  readonly #memberWords: number;

  /** `ids` in the order asked for. */
  constructor(ids: BigUint64Array, hasLost: boolean) {
    this.#memberWords = hasLost ? 3 : 2;
    this.words = new BigUint64Array(HEADER_WORDS + this.#memberWords * ids.length);
    this.#halves = new Uint32Array(this.words.buffer);
    this.#idHalves = new Uint32Array(BigUint64Array.from(ids).buffer);
    this.#valueWords = Int32Array.from(ids, (_, i) => HEADER_WORDS + this.#memberWords * i);
  }

  /**
   * Must be called after each read with the bytes that it gave, before anything is taken from it.
   * Values belong to events by the kernel's id alone. Throws CounterError.
   */
  accept(bytes: number): void {
    const words = this.words;
    const halves = this.#halves;
    const idHalves = this.#idHalves;
    const valueWords = this.#valueWords;
    const members = valueWords.length;
    if (bytes !== words.byteLength || halves[0] !== members || halves[1] !== 0) this.#refuse(bytes);
    for (let i = 0; i < members; i++) {
      const idAt = 2 * (valueWords[i] + 1);
      if (halves[idAt] !== idHalves[2 * i] || halves[idAt + 1] !== idHalves[2 * i + 1]) {
        this.#findMember(i);
      }
    }
  }

  /** The last reading as values in the order asked for, then the times enabled and running. */
  snapshot(): BigUint64Array<ArrayBuffer> {
    const words = this.words;
    const valueWords = this.#valueWords;
    const members = valueWords.length;
    const copy = new BigUint64Array(members + 2);
    for (let i = 0; i < members; i++) copy[i] = words[valueWords[i]];
    copy[members] = words[ENABLED_WORD];
    copy[members + 1] = words[RUNNING_WORD];
    return copy;
  }

  /**
   * Each value of the last reading minus the one in `earlier`, the halves of a snapshot, into the
   * front of `into`. Exact below 2^53.
   */
  differences(earlier: Uint32Array, into: Float64Array): void {
    const halves = this.#halves;
    const valueWords = this.#valueWords;
    for (let i = 0; i < valueWords.length; i++) {
      const at = 2 * valueWords[i];
      const high = halves[at + 1] - earlier[2 * i + 1];
      into[i] = high * TWO_32 + (halves[at] - earlier[2 * i]);
    }
  }

  #findMember(event: number): void {
    const words = this.words;
    const halves = this.#halves;
    const idHalves = this.#idHalves;
    const memberWords = this.#memberWords;
    for (let word = HEADER_WORDS; word < words.length; word += memberWords) {
      const isMember =
        halves[2 * word + 2] === idHalves[2 * event] &&
        halves[2 * word + 3] === idHalves[2 * event + 1];
      if (isMember) {
        this.#valueWords[event] = word;
        return;
      }
    }
    throw new CounterError(
      'ERR_SHORT_READ',
      `the group's reading holds nothing for event ${event} (the kernel's id is missing)`,
    );
  }

  #refuse(bytes: number): never {
    if (bytes === 0) {
      throw new CounterError(
        'ERR_NOT_SCHEDULED',
        'pinned, not scheduled: the counters were not free',
        [
          'a pinned group that did not fit counts nothing from then on: close it, and open it with ' +
            'fewer events, or without pinned (it is then multiplexed)',
          'other users of the counters: the NMI watchdog (sysctl kernel.nmi_watchdog=0), other profilers',
        ],
      );
    }
    const members = this.#valueWords.length;
    const reported = bytes >= 8 ? `, which say that it has ${this.words[0]} events` : '';
    throw new CounterError(
      'ERR_SHORT_READ',
      `a reading of a group of ${members} is ${this.words.byteLength} bytes; the kernel gave ${bytes}${reported}`,
    );
  }
}
