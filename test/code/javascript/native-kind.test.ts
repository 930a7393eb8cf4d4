import { expect, test } from 'vitest';
import { kernelEntry } from '../../../src/code/javascript/kernel-entry.ts';
import {
  isSystemLibrary,
  kindOfNative,
  type NativeKind,
} from '../../../src/code/javascript/native-kind.ts';
import { shortName } from '../../../src/profile/short-name.ts';

// Names as the binaries of Node 18 to 26 have them.
test.each<[name: string, kind: NativeKind | null]>([
  ['Builtins_LoadIC_Megamorphic', 'builtin'],
  ['v8::internal::Runtime_StringSplit(int, unsigned long*, v8::internal::Isolate*)', 'runtime'],
  ['v8::internal::MarkCompactCollector::CollectGarbage()', 'gc'],
  ['v8::internal::ConcurrentMarking::JobTaskMajor::Run(v8::JobDelegate*)', 'gc'],
  ['v8::internal::(anonymous namespace)::PageEvacuationJob::Run(v8::JobDelegate*)', 'gc'],
  ['v8::internal::ArrayBufferSweeper::RequestSweep(int)', 'gc'],
  ['cppgc::internal::MarkerBase::AdvanceMarking()', 'gc'],
  [
    'auto v8::internal::compiler::PipelineImpl::Run<v8::internal::compiler::TyperPhase>()',
    'turbofan',
  ],
  ['v8::internal::OptimizingCompileDispatcher::CompileNext(int)', 'turbofan'],
  ['v8::internal::maglev::MaglevConcurrentDispatcher::JobTask::Run(v8::JobDelegate*)', 'maglev'],
  ['v8::internal::baseline::BaselineCompiler::GenerateCode()', 'sparkplug'],
  ['v8::internal::wasm::WasmCompilationUnit::ExecuteCompilation(int)', 'wasm'],
  ['v8::internal::Scanner::Scan()', 'parse'],
  ['v8::internal::PreParser::PreParseFunction(int)', 'parse'],
  ['v8::internal::interpreter::BytecodeGenerator::VisitCall(v8::internal::Call*)', 'parse'],
  ['v8::internal::ParserBase<v8::internal::PreParser>::ParseStatementList(int)', 'parse'],
  ['non-virtual thunk to node::LibuvStreamWrap::DoTryWrite(uv_buf_t**, unsigned long*)', 'node'],
  ['node::(anonymous namespace)::PlatformWorkerThread(void*)', 'v8Worker'],
  ['node::SpinEventLoopInternal(node::Environment*)', 'eventLoop'],
  ['node::LoadEnvironment(node::Environment*)', 'startUp'],
  ['node::inspector::(anonymous namespace)::StartIoThreadMain(void*)', 'inspector'],
  ['uv__io_poll', 'poll'],
  ['uv__stream_io', 'libuv'],
  ['napi_create_object', 'runtime'],
  ['std::vector<v8::internal::Node*>::push_back(v8::internal::Node*)', null],
  ['EVP_DigestUpdate', null],
  ['worker', null],
])('%s is %s', (name, kind) => {
  expect(kindOfNative(shortName(name), false)).toBe(kind);
});

test("a function that is called worker begins libuv's threads in Node's binary only", () => {
  expect(kindOfNative('worker', true)).toBe('uvWorker');
});

test.each([
  ['__x64_sys_futex', '(kernel: futex)'],
  ['__arm64_sys_epoll_pwait', '(kernel: epoll_pwait)'],
  ['ksys_write', '(kernel: write)'],
  ['do_writev', '(kernel: writev)'],
  ['__do_sys_clone', '(kernel: clone)'],
  ['vm_mmap_pgoff', '(kernel: mmap)'],
  ['asm_exc_page_fault', '(kernel: page fault)'],
  ['do_mem_abort', '(kernel: page fault)'],
  ['asm_sysvec_apic_timer_interrupt', '(kernel: interrupt)'],
  ['el0t_64_irq', '(kernel: interrupt)'],
  ['el0_svc', '(kernel: system call)'],
  ['vfs_read', undefined],
])('the kernel was entered by %s: %s', (name, label) => {
  expect(kernelEntry(name)?.label).toBe(label);
});

test.each([
  ['libc.so.6', true],
  ['libc-2.31.so', true],
  ['libstdc++.so.6.0.30', true],
  ['ld-musl-x86_64.so.1', true],
  ['[vdso]', true],
  ['libcrypto.so.3', false],
  ['libmagic.so.1', false],
])('%s is a library of the system: %s', (name, is) => {
  expect(isSystemLibrary(name)).toBe(is);
});
