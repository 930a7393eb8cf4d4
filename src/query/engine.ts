/** A value of an answer: numbers above 2^53 are decimal text. */
export type QueryValue = string | number | boolean | null;

export type QueryAnswer = {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly QueryValue[])[];
  /** There were more rows than were asked for. */
  readonly isCut: boolean;
};

export type QueryLimits = {
  readonly maxRows: number;
  readonly timeoutSeconds: number;
  /** Ends the query. */
  readonly signal?: AbortSignal;
};

/** An engine that runs SQL over the tables of recordings. */
export type QueryEngine = {
  run(sql: string, limits: QueryLimits): Promise<QueryAnswer>;
  close(): void;
};
