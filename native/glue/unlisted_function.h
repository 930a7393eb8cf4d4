#pragma once

#include <node_api.h>

namespace perf_ts {

/**
 * A thread-safe function that does not keep the event loop running, and whose handle the event
 * loop does not list: `process.report` shows the program's own handles alone. At most 16 calls
 * wait. Null where there can be none.
 */
napi_threadsafe_function CreateUnlistedFunction(napi_env env, napi_value function, void* context,
                                                napi_threadsafe_function_call_js call);

/** Forgets what such a function has thrown: it must not end a program that is being profiled. */
void ForgetException(napi_env env);

}  // namespace perf_ts
