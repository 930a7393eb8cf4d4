// A program of its own, which `RegisteredAsker` starts: asks processes that have imported `perf-ts/register`. Their
// socket lies in their own file system, where the kernel may stand still, and they answer when they like.

import { fieldOf, numberField, textField } from '../../base/foreign-json.ts';
import { loadBinding } from '../../native/binding.ts';
import { serveQuestions } from '../../system/strangers/serve-questions.ts';
import { askRegistered, registeredSocket } from './registered.ts';

const MOST_NAME_CHARS = 256;

await serveQuestions((question) => {
  const pid = numberField(question, 'pid') ?? 0;
  const socket = textField(question, 'socket', MOST_NAME_CHARS) ?? '';
  const path = registeredSocket(pid);
  if (path === null) return null;
  const yields = fieldOf(question, 'yields') === true;
  return askRegistered(pid, path, { socket, ...(yields && { yields }) }, loadBinding().peerOf);
});
