#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "code_positions.h"
#include "loop_turns.h"
#include "marks.h"
#include "sample_contexts.h"
#include "sender.h"
#include "stream.h"
#include "unlisted_code.h"
#include "v8_abi.h"
#include "v8_heap.h"
#include "v8_scripts.h"

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
    /** Null: positions are not sent. */
    v8_abi::GetScriptId get_script_id = nullptr;
    /** Null: whether V8 may make code is not known. */
    v8_abi::GetVersionTag get_version_tag = nullptr;
    /** Null: code that V8 does not list is not found. */
    v8_abi::GetCodePages get_code_pages = nullptr;
    bool is_complete() const { return get_current && set_handler && set_flags; }
  };
  static V8 FindV8();

  CodeListener(const CodeListener&) = delete;
  CodeListener& operator=(const CodeListener&) = delete;
  explicit CodeListener(V8 v8) : v8_(v8) {}
  ~CodeListener();

  Sender& sender() { return sender_; }
  /** Null where nothing is listened to. */
  void* isolate() const { return isolate_; }
  /** Turns of the isolate's event loop; begun when the code is listened to. */
  LoopTurns& turns() { return turns_; }
  Marks& marks() { return marks_; }
  SampleContexts& contexts() { return contexts_; }

  /**
   * Sends, on the isolate's thread, with the sender connected and started, what is compiled from
   * now on, and before with `existing` all code that exists, for which V8 walks its heap: some 10
   * ms, and 0.6 ms for each megabyte. Then V8's code pages are searched for what it leaves out.
   * False if this process has too many listeners, or this isolate has one.
   */
  bool Start(bool existing);

  /** Makes V8 forget the handler; on the isolate's thread. */
  void Stop();

  /**
   * Answers the recorder's question behind all that is queued, once existing code is listed; 0:
   * none is new. On the sender's thread.
   */
  void Answer(uint8_t question);

  /** Sends a note about the isolate: UTF-8 without newlines. */
  void WriteNote(const char* text, size_t size);

  /** Sends what is queued of all isolates, for at most a second; the process ends. */
  static void FlushAll();

  /**
   * Whether V8 gives functions that it compiles to bytecode from now on frames of their own. It
   * does so by copies of its interpreter's entry, and stays without where it may make no machine
   * code at run time (`--jitless`): V8 leaves them out itself only where it starts so.
   */
  static void SetInterpretedFrames(const V8& v8, bool on);

 private:
  static void OnEvent(const v8_abi::CodeEvent* event);
  void Write(const v8_abi::CodeEvent& event);
  void WriteUnlisted(UnlistedCode* unlisted);
  /**
   * Sends one piece for all code of before, without a listing: the pages at the begin of V8's code
   * that are there. What V8 adds from now on takes its place.
   */
  void WriteBootstrap();
  void WriteAdded(const v8_abi::CodeEvent& event);
  void WriteAdded(const v8_abi::CodeEvent& event, const char* name, size_t length);
  void WriteLost();
  /** Keeps what V8 reports until the code itself is added. */
  void TakePositions(const v8_abi::CodeEvent& event);
  void WritePositions(const v8_abi::CodeEvent& event);
  /** Sends which interpreted functions wait for the code, if one of this thread does. */
  void WriteCallers();
  /** Fills `positions_`; the flags of the record, −1 where there are none. */
  int FindPositions(const v8_abi::CodeEvent& event);
  /** Sends the line ends and the inline source map of a script that was not sent before. */
  void WriteScript(const v8_abi::CodeEvent& event, uint32_t script);
  bool IsNewScript(uint32_t script);
  template <typename Body>
  void WriteRecord(code_stream::Type type, v8_abi::CodeType code_type, const Body& body,
                   const void* tail, size_t tail_size);

  V8 v8_;
  Sender sender_;
  LoopTurns turns_;
  Marks marks_;
  SampleContexts contexts_;
  void* isolate_ = nullptr;
  std::atomic<bool> is_listed_{false};
  /** Question that is not answered yet; 0: none. */
  uint8_t question_ = 0;
  /** Thread of the isolate, and what hears the listing of existing code on it; null behind that. */
  pthread_t thread_{};
  UnlistedCode* listing_ = nullptr;
  /** Held while positions are reported or written; for what follows. */
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  V8Heap heap_;
  V8Scripts scripts_;
  const void* reported_start_ = nullptr;
  CodePositions reported_;
  CodePositions positions_;
  Growable<uint8_t> bytes_;
  Growable<int32_t> line_ends_;
  /** A bit for each script that was written. */
  Growable<uint8_t> written_;
};

}  // namespace perf_ts
