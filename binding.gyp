{
  "targets": [
    {
      "target_name": "perf_ts",
      "sources": [
        "native/addon.cc",
        "native/backward_ring.cc",
        "native/child_process.cc",
        "native/chunk.cc",
        "native/clock.cc",
        "native/counter_group.cc",
        "native/counter_object.cc",
        "native/cpuid.cc",
        "native/data_file.cc",
        "native/demangle.cc",
        "native/demangled_size.cc",
        "native/demangled_size_types.cc",
        "native/errno_name.cc",
        "native/event_set.cc",
        "native/fd_limit.cc",
        "native/file_identity.cc",
        "native/final_records.cc",
        "native/held_command.cc",
        "native/held_command_object.cc",
        "native/js_options.cc",
        "native/js_results.cc",
        "native/libpfm.cc",
        "native/libpfm_object.cc",
        "native/live_queue.cc",
        "native/notifier.cc",
        "native/perf_event.cc",
        "native/read_format.cc",
        "native/record_run.cc",
        "native/ring_buffer.cc",
        "native/ring_mapping.cc",
        "native/sampler.cc",
        "native/sampler_object.cc",
        "native/sampler_thread.cc",
        "native/signal_origin.cc",
        "native/tasks.cc",
        "native/tools.cc",
        "native/user_counter.cc",
        "native/watcher.cc",
        "native/worker_thread.cc"
      ],
      "include_dirs": ["<!(node -p \"require('node-addon-api').include_dir\")"],
      "defines": [
        "NAPI_VERSION=9",
        "NAPI_DISABLE_CPP_EXCEPTIONS",
        "NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS"
      ],
      "libraries": ["-ldl"],
      "cflags": ["-Wall", "-Wextra", "-Wno-unused-parameter", "-O2", "-fvisibility=hidden"],
      "cflags_cc": ["-std=c++17", "-fno-exceptions"],
      "cflags_cc!": ["-std=gnu++17", "-std=gnu++20"]
    }
  ]
}
