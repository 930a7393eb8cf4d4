/** Lengths of things in time, nanoseconds: half of them no longer than `p50Ns`, 90 and 99 of 100 than the others. */
export type LengthFigures = {
  readonly p50Ns: number;
  readonly p90Ns: number;
  readonly p99Ns: number;
  readonly longestNs: number;
};

/** Collects lengths, of which one may stand for several. */
export class Lengths {
  readonly #lengths: { readonly ns: number; readonly count: number }[] = [];

  add(ns: number, count: number): void {
    if (count > 0) this.#lengths.push({ ns, count });
  }

  finish(): LengthFigures & { readonly count: number } {
    const lengths = this.#lengths.sort((a, b) => a.ns - b.ns);
    const count = lengths.reduce((sum, each) => sum + each.count, 0);
    const quantile = (share: number): number => {
      let seen = 0;
      const found = lengths.find((each) => {
        seen += each.count;
        return seen >= share * count;
      });
      return found?.ns ?? 0;
    };
    const longestNs = lengths.at(-1)?.ns ?? 0;
    return { count, p50Ns: quantile(0.5), p90Ns: quantile(0.9), p99Ns: quantile(0.99), longestNs };
  }
}
