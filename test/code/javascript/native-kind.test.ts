import { expect, test } from 'vitest';
import {
  isUvWorker,
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
  ['v8::internal::SemiSpaceNewSpace::EvacuatePrologue()', 'gc'],
  [
    'void v8::internal::BodyDescriptorBase::IteratePointers<v8::internal::ScavengeVisitor>(v8::internal::HeapObject, int)',
    'gc',
  ],
  ['v8::internal::RootScavengeVisitor::VisitRootPointer(v8::internal::Root)', 'gc'],
  ['v8::internal::SemiSpaceNewSpace::AllocateRaw(int)', 'runtime'],
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
  expect(kindOfNative(shortName(name))).toBe(kind);
});

test("a function that is called worker begins libuv's threads in Node's binary only", () => {
  expect(isUvWorker('worker')).toBe(true);
});
