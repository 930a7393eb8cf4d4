/** Requests of the time strip, the heat map and the period view: name to `{ params; result }`. */
// biome-ignore lint/complexity/noBannedTypes: an empty map of requests.
export type TimeRequests = {};
