import type { ChartRequests } from './chart-messages.ts';
import type { LaneRequests } from './lane-messages.ts';
import type { FlameRequests } from './messages.ts';
import type { PanelRequests } from './panel-messages.ts';
import type { TimeRequests } from './time-messages.ts';
import type { TrackRequests } from './track-messages.ts';

/**
 * The messages that the page and its worker send each other. The worker holds the profile and
 * computes; the page holds the state and draws. Each request gets exactly one reply with the same
 * id, unless it was cancelled before the worker came to it.
 *
 *   page                                     worker
 *   { id: 7, kind: 'tree', params }    ──▶   computes
 *                                      ◀──   { id: 7, result } or { id: 7, problem }
 *   { cancel: 8 }                      ──▶   request 8, if it still waits, is never answered
 *
 * Names in results are printable: text without control characters. They are text, never markup.
 */
export type RequestMessage = {
  [Kind in RequestKind]: {
    readonly id: number;
    readonly kind: Kind;
    readonly params: Requests[Kind]['params'];
  };
}[RequestKind];
export type CancelMessage = { readonly cancel: number };

export type ReplyMessage =
  | { readonly id: number; readonly result: unknown }
  /** The failure, as a sentence. */
  | { readonly id: number; readonly problem: string };

/** Every request by its name. A part of the page with requests of its own adds them as a type. */
export type Requests = FlameRequests &
  TimeRequests &
  TrackRequests &
  PanelRequests &
  ChartRequests &
  LaneRequests;
export type RequestKind = keyof Requests;

export type AskWorker = {
  /** Asks the worker. Rejects with a sentence where it could not answer. */
  <Kind extends RequestKind>(
    kind: Kind,
    params: Requests[Kind]['params'],
    /** Aborted: the answer is of no use any more. Never answered, if it was not begun. */
    signal?: AbortSignal,
  ): Promise<Requests[Kind]['result']>;
  /**
   * How many states of the shown recording were opened so far: the same question has another answer
   * in the next one. Absent: there is one only.
   */
  readonly opened?: () => number;
};
