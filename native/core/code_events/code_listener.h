#pragma once

#include <cstdint>

#include "sender.h"
#include "stream.h"
#include "v8_abi.h"

namespace perf_ts {

/**
 * Listens to the code of one isolate: V8's handler writes a record of every piece of compiled code
 * into the sender's queue. V8 calls the handler on whatever thread announces the code, and passes
 * the isolate; the listeners of a process are found by it.
 */
class CodeListener {
 public:
  /** V8's functions; null where this program does not export them. */
  struct V8 {
    v8_abi::GetCurrentIsolate get_current = nullptr;
    v8_abi::SetHandler set_handler = nullptr;
    v8_abi::SetFlags set_flags = nullptr;
    bool is_complete() const { return get_current && set_handler && set_flags; }
  };
  static V8 FindV8();

  CodeListener(const CodeListener&) = delete;
  CodeListener& operator=(const CodeListener&) = delete;
  explicit CodeListener(V8 v8) : v8_(v8) {}
  ~CodeListener() { Stop(); }

  Sender& sender() { return sender_; }

  /**
   * On the isolate's thread, the sender connected and started: sends what is compiled from now on,
   * and before with `existing` all code that exists, for which V8 walks its heap: some 10 ms, and
   * 0.6 ms for each megabyte. False if this process has too many listeners, or this isolate has
   * one.
   */
  bool Start(bool existing);

  /** On the isolate's thread. V8 forgets the handler. */
  void Stop();

  /** Sends a note about the isolate: UTF-8 without newlines. */
  void WriteNote(const char* text, size_t size);

  /** Sends what is queued of all isolates; the process ends. */
  static void FlushAll();

 private:
  static void OnEvent(const v8_abi::CodeEvent* event);
  void Write(const v8_abi::CodeEvent& event);
  void WriteAdded(const v8_abi::CodeEvent& event);
  void WriteLost();
  template <typename Body>
  void WriteRecord(code_stream::Type type, v8_abi::CodeType code_type, const Body& body,
                   const void* tail, size_t tail_size);

  V8 v8_;
  Sender sender_;
  void* isolate_ = nullptr;
};

}  // namespace perf_ts
