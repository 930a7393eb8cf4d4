{
  "targets": [
    {
      "target_name": "perf_ts",
      "sources": [
        "core/command/child_process.cc",
        "core/command/held_command.cc",
        "core/counter/counter_group.cc",
        "core/counter/cpuid.cc",
        "core/counter/user_counter.cc",
        "core/event/attach.cc",
        "core/event/event_set.cc",
        "core/event/final_records.cc",
        "core/event/fork_watch.cc",
        "core/event/perf_event.cc",
        "core/event/period_probe.cc",
        "core/event/read_format.cc",
        "core/event/tasks.cc",
        "core/names/demangle.cc",
        "core/names/demangled_size.cc",
        "core/names/libpfm.cc",
        "core/posix/clock.cc",
        "core/posix/connection_user.cc",
        "core/posix/errno_name.cc",
        "core/posix/malloc_options.cc",
        "core/posix/fd_limit.cc",
        "core/posix/file_identity.cc",
        "core/posix/hold.cc",
        "core/posix/peer.cc",
        "core/posix/signal_origin.cc",
        "core/posix/worker_thread.cc",
        "core/recording/kept_kernel.cc",
        "core/recording/kernel_lines.cc",
        "core/recording/met_addresses.cc",
        "core/recording/record_window.cc",
        "core/ring/backward_ring.cc",
        "core/ring/chunk.cc",
        "core/ring/record_run.cc",
        "core/ring/ring_buffer.cc",
        "core/ring/ring_mapping.cc",
        "core/session/compressed_file.cc",
        "core/session/data_file.cc",
        "core/session/live_queue.cc",
        "core/session/sampler.cc",
        "core/session/sampler_thread.cc",
        "core/session/watcher.cc",
        "core/zstd/libzstd.cc",
        "core/zstd/zstd_stream.cc",
        "glibc/own_symbols.cc",
        "glue/addon.cc",
        "glue/counter_object.cc",
        "glue/held_command_object.cc",
        "glue/js_options.cc",
        "glue/js_results.cc",
        "glue/libpfm_object.cc",
        "glue/notifier.cc",
        "glue/recording_tools.cc",
        "glue/sampler_object.cc",
        "glue/tools.cc",
        "glue/zstd_decoder_object.cc"
      ],
      "include_dirs": [
        ".",
        "<!(node -p \"require('node-addon-api').include_dir\")"
      ],
      "defines": [
        "NAPI_VERSION=9",
        "NAPI_DISABLE_CPP_EXCEPTIONS",
        "NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS"
      ],
      "libraries": [
        "-ldl"
      ],
      "cflags": [
        "-Wall",
        "-Wextra",
        "-Wno-unused-parameter",
        "-O2",
        "-fvisibility=hidden"
      ],
      "cflags_cc": [
        "-std=c++17",
        "-fno-exceptions",
        "-include glibc/pins.h"
      ],
      "cflags_cc!": [
        "-std=gnu++17",
        "-std=gnu++20"
      ]
    },
    {
      "target_name": "perf_ts_code_events",
      "sources": [
        "core/code_events/byte_queue.cc",
        "core/code_events/bytecode_sizes.cc",
        "core/code_events/code_listener.cc",
        "core/code_events/code_positions.cc",
        "core/code_events/flag_hash.cc",
        "core/code_events/loop_turns.cc",
        "core/code_events/marks.cc",
        "core/code_events/owned_socket.cc",
        "core/code_events/request_listener.cc",
        "core/code_events/async_stacks.cc",
        "core/code_events/sample_contexts.cc",
        "core/code_events/sender.cc",
        "core/code_events/unlisted_code.cc",
        "core/code_events/v8_heap.cc",
        "core/code_events/v8_memory.cc",
        "core/code_events/v8_scripts.cc",
        "core/posix/peer.cc",
        "glue/code_events_addon.cc",
        "glue/heap_samples.cc",
        "glue/kept_stacks.cc",
        "glue/unlisted_function.cc"
      ],
      "include_dirs": [
        "."
      ],
      "defines": [
        "NAPI_VERSION=8"
      ],
      "libraries": [],
      "ldflags": [
        "-nostdlib"
      ],
      "cflags": [
        "-Wall",
        "-Wextra",
        "-Wno-unused-parameter",
        "-O2",
        "-fvisibility=hidden",
        "-fno-stack-protector",
        "-fno-asynchronous-unwind-tables",
        "-fno-omit-frame-pointer",
        "-U_FORTIFY_SOURCE"
      ],
      "cflags_cc": [
        "-std=c++17",
        "-fno-exceptions",
        "-fno-rtti",
        "-fno-threadsafe-statics"
      ],
      "cflags_cc!": [
        "-std=gnu++17",
        "-std=gnu++20"
      ],
      "conditions": [
        [
          "target_arch=='arm64'",
          {
            "cflags": [
              "-mno-outline-atomics"
            ]
          }
        ]
      ]
    }
  ]
}
