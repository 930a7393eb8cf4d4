/** Periods of one stream in time order, and what was counted up to each sample. */
export type PeriodSequence = {
  readonly length: number;
  /** Nanoseconds since the recording's first timestamp. */
  readonly timeNs: Float64Array;
  /** The periods as reported. */
  readonly periodEvents: Float64Array;
  /** Events since the stream's previous sample; of the first one, up to it. */
  readonly elapsedEvents: Float64Array;
  /**
   * Nanoseconds since the stream's previous sample in which the event was not counting; 0: none,
   * NaN: can't be told. Null or absent: no running time was read.
   */
  readonly offCpuNs?: Float64Array | null;
};
