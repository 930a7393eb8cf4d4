/** A profile of the own process on its way. `await using` discards it at the end of the block. */
export type RunningSelfProfile = AsyncDisposable & {
  /** The bytes of the format. */
  readonly finished: Promise<Uint8Array>;
  /** Ends the sampling; the profile is of the time until now. Idempotent. */
  stop(): Promise<Uint8Array>;
};
