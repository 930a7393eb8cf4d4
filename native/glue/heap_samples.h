#pragma once

#include <node_api.h>

namespace perf_ts {

/**
 * V8's sampling heap profiler in the calling thread, of which there is one:
 *
 *   startHeap(interval, isLive)
 *                begins to sample, a mean of `interval` bytes apart: what is allocated, or what of
 * that V8 has not collected. False where the program samples, or V8's functions are not there
 *   takeHeap(ends, collects)
 *                the samples so far, as `[nodes, allocations]`, behind a collection of garbage if
 *                wanted; null where nothing is sampled (any more)
 *
 *   nodes        [caller's node or −1, name, script, its number, position there, line, column] …
 *   allocations  [node, bytes of an object, objects that its samples stand for] …
 *
 * The inspector has the same, and collects garbage each time that it is asked.
 */
napi_value StartHeap(napi_env env, napi_callback_info info);
napi_value TakeHeap(napi_env env, napi_callback_info info);

}  // namespace perf_ts
