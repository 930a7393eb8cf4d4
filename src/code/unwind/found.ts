/** Results of a search for an address in a table. */
export const FOUND = {
  ROW: 0,
  /** No function of the table covers the address. */
  NOTHING: 1,
  /** One does, but its entry is damaged or not understood. */
  DAMAGED: 2,
} as const;
