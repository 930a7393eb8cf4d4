import { wilsonInterval } from '../../period/uncertainty/uncertainty.ts';
import type { Figures } from '../../profile/analysis/flat-report.ts';

/** Sums of one row in a slice or in all of them, over samples; weights in the event's unit. */
export type SumRow = {
  /** Names that identify the row, parallel to the table's keys. */
  readonly names: readonly string[];
  /** The names that a person reads in place of these: file and function. */
  readonly shown?: readonly string[];
  readonly self: number;
  readonly total: number;
  /** Samples whose innermost frame is here. */
  readonly samples: number;
  /** Σ of the squares of their weights. */
  readonly squares: number;
};

/** The rows of one table over some time, and the sums over all samples of it. */
export type TableSums = {
  readonly weight: number;
  readonly samples: number;
  readonly squares: number;
  readonly rows: readonly SumRow[];
};

/** A row of a table that is shown. */
export type TopRow = Figures & Pick<SumRow, 'names' | 'shown'>;

/** A table of one event, heaviest self first. */
export type TopTable = {
  readonly samples: number;
  readonly weight: number;
  /** (Σw)²/Σw²: as many samples of equal weight would tell as much. */
  readonly effectiveSamples: number;
  readonly rows: readonly TopRow[];
};

type Mutable = { -readonly [K in keyof SumRow]: SumRow[K] };

/** Number of names in a table above which the lightest go. */
const MOST_NAMES = 100_000;

/**
 * Sums by name. Rows of slices are of tables that come and go; names stay, so what one process ran
 * under a function is added to what the next one did.
 */
export class ShareSums {
  weight = 0;
  samples = 0;
  squares = 0;
  readonly #rows = new Map<string, Mutable>();

  add(table: TableSums): void {
    this.weight += table.weight;
    this.samples += table.samples;
    this.squares += table.squares;
    for (const row of table.rows) {
      const key = row.names.join('\0');
      const known = this.#rows.get(key);
      if (known === undefined) {
        this.#rows.set(key, { ...row });
        continue;
      }
      known.self += row.self;
      known.total += row.total;
      known.samples += row.samples;
      known.squares += row.squares;
    }
    if (this.#rows.size > MOST_NAMES) this.#dropLightest();
  }

  sums(): TableSums {
    const { weight, samples, squares } = this;
    return { weight, samples, squares, rows: [...this.#rows.values()] };
  }

  /**
   * Shares with their 95 % intervals, as of samples that were drawn independently: `report` of a
   * recording also knows how much neighbours resemble each other.
   *
   *   p = Σ w x / Σ w      var p = (Σ w² x (1 − 2p) + p² Σ w²) / (Σ w)²      x: 1 where it is here
   */
  table(): TopTable {
    const { weight, samples, squares } = this;
    const effectiveSamples = squares > 0 ? (weight * weight) / squares : 0;
    const rows = Array.from(this.#rows.values(), (row) => {
      const share = weight > 0 ? row.self / weight : 0;
      const variance =
        weight > 0
          ? (row.squares * (1 - 2 * share) + share * share * squares) / (weight * weight)
          : 0;
      return {
        names: row.names,
        ...(row.shown !== undefined && { shown: row.shown }),
        self: row.self,
        total: row.total,
        selfShare: share,
        totalShare: weight > 0 ? row.total / weight : 0,
        selfSamples: row.samples,
        selfInterval: wilsonInterval(share, variance, effectiveSamples),
      };
    });
    rows.sort((a, b) => b.self - a.self || b.total - a.total);
    return { samples, weight, effectiveSamples, rows };
  }

  /** Half of the names go, the lightest: of a table of 100 000 nobody sees them. */
  #dropLightest(): void {
    const byWeight = [...this.#rows].sort(([, a], [, b]) => b.total - a.total);
    for (const [key] of byWeight.slice(MOST_NAMES / 2)) this.#rows.delete(key);
  }
}

/** Parts of a window: it moves on by so much of its length. */
const PARTS_OF_WINDOW = 60;

/** The sums of the last `lengthMs`, to a 60th of it. Memory does not grow with its length. */
export class WindowSums {
  readonly #lengthMs: number;
  /** When the last slice was added. */
  #lastMs = 0;
  readonly #parts: { readonly fromMs: number; readonly sums: ShareSums; endMs: number }[] = [];

  constructor(lengthMs: number) {
    this.#lengthMs = lengthMs;
  }

  /** Adds what was sampled until `nowMs`. */
  add(table: TableSums, nowMs: number): void {
    const last = this.#parts.at(-1);
    if (last !== undefined && nowMs - last.fromMs < this.#lengthMs / PARTS_OF_WINDOW) {
      last.sums.add(table);
      last.endMs = nowMs;
    } else {
      const sums = new ShareSums();
      sums.add(table);
      this.#parts.push({ fromMs: nowMs, sums, endMs: nowMs });
    }
    // Slices come about when they should: one that reaches in by less than half a slice is out.
    const leastMs = nowMs - this.#lengthMs + (nowMs - this.#lastMs) / 2;
    this.#lastMs = nowMs;
    while (this.#parts.length > 1 && this.#parts[0]?.endMs <= leastMs) {
      this.#parts.shift();
    }
  }

  get samples(): number {
    return this.#parts.reduce((sum, { sums }) => sum + sums.samples, 0);
  }

  table(): TopTable {
    const all = new ShareSums();
    for (const { sums } of this.#parts) all.add(sums.sums());
    return all.table();
  }
}
