import { readAddress } from '../../base/u64.ts';
import { firstUserEntry } from '../../kernel/perf-event/callchain.ts';
import { PERF_CONTEXT, PERF_SAMPLE_REGS_ABI } from '../../kernel/perf-event/constants.ts';
import { type RegisterArchitecture, registerName } from '../../kernel/perf-event/register-names.ts';
import type { SampleView } from '../../kernel/perf-event/sample.ts';

/** Names of the register with the ip. */
const NAMES: ReadonlySet<string> = new Set(['pc', 'PC', 'nip', 'IP']);

/**
 * Finds the ip of user code in register dumps of an architecture that is not unwound. It is all that
 * is known of the user part of a sample in the kernel.
 */
export class UserLeaf {
  readonly #littleEndian: boolean;
  /** Place in the dump, −1 where it has no ip. */
  readonly #place: number;

  /** `mask` is the event's `sample_regs_user`. */
  constructor(architecture: RegisterArchitecture | null, mask: bigint, littleEndian: boolean) {
    this.#littleEndian = littleEndian;
    const recorded = Array.from({ length: 64 }, (_, number) => number).filter(
      (number) => ((mask >> BigInt(number)) & 1n) !== 0n,
    );
    this.#place = recorded.findIndex((number) => NAMES.has(registerName(architecture, number)));
  }

  /** Whether the callchain of `sample` got the ip as its user part. */
  append(sample: SampleView): boolean {
    const { view, callchain, callchainLength } = sample;
    const hasUserPart = firstUserEntry(callchain, callchainLength) < callchainLength;
    if (hasUserPart || this.#place < 0 || this.#place >= sample.userRegsCount) return false;
    const at = sample.userRegsOffset + 8 * this.#place;
    const ip = readAddress(view, at, this.#littleEndian);
    const is32 = sample.userRegsAbi === PERF_SAMPLE_REGS_ABI.ABI_32;
    callchain[callchainLength] = PERF_CONTEXT.USER;
    callchain[callchainLength + 1] = is32
      ? view.getUint32(this.#littleEndian ? at : at + 4, this.#littleEndian)
      : ip;
    sample.callchainLength = callchainLength + 2;
    return true;
  }
}
