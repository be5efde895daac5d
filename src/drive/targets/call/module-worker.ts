/** Runs in a worker thread: loads the user's module and calls its function as often as it is asked to. */
import { parentPort } from 'node:worker_threads';
import { importUserModule } from '../../../shared/import-user-module.ts';
import { CallContext } from './call-context.ts';
import { encodeResult } from './encode-result.ts';
import type { CallAnswer, CallRequest, WorkerMessage, WorkerSetup } from './module-worker-messages.ts';
import { PrintedByCall } from './printed-by-call.ts';
import { encodeThrown, messageOf } from './thrown-value.ts';
import { TurnGate } from './turn-gate.ts';

type Tool = (input: unknown, context: CallContext) => unknown;
type Ending = Pick<CallAnswer, 'result' | 'unusable' | 'thrown'>;

const waiting: CallRequest[] = [];
const calls = new Map<number, CallContext>();
const printed = new PrintedByCall();
const send = (message: WorkerMessage): void => parentPort?.postMessage(message);

parentPort?.once('message', begin);

async function begin({ file, exportName, gate: memory }: WorkerSetup): Promise<void> {
  try {
    const tool = await loadTool(file, exportName);
    const gate = new TurnGate(memory);
    parentPort?.on('message', (requests: readonly CallRequest[]) => {
      if (waiting.push(...requests) === requests.length) startNext(tool, gate);
    });
    send({ kind: 'loaded' });
  } catch (error) {
    send({ kind: 'load-failed', message: messageOf(error) });
  }
}

async function loadTool(file: string, exportName: string): Promise<Tool> {
  const module = await importUserModule(file);
  const tool = module[exportName];
  if (typeof tool === 'function') return tool as Tool;
  const names = Object.keys(module).filter((name) => typeof module[name] === 'function');
  throw new Error(`it has no exported function "${exportName}"; it exports: ${names.join(', ') || 'no function'}`);
}

/** Each call starts in a turn of its own, so that an answer is on its way before the next call can block the thread. */
function startNext(tool: Tool, gate: TurnGate): void {
  const request = waiting.shift();
  if (request?.kind === 'abort') stopCall(request.sequence);
  else if (request && gate.pass(request.sequence)) void answer(tool, request.sequence, request.input);
  if (waiting.length > 0) setImmediate(startNext, tool, gate);
}

function stopCall(sequence: number): void {
  calls.get(sequence)?.abort();
  send({ kind: 'stop-heard', sequence });
}

async function answer(tool: Tool, sequence: number, input: string): Promise<void> {
  const context = new CallContext();
  calls.set(sequence, context);
  const began = performance.now();
  const [ending, text] = await printed.during(() => callTool(tool, input, context));
  calls.delete(sequence);
  send({ kind: 'answer', sequence, durationMs: performance.now() - began, printed: text, ...ending });
}

async function callTool(tool: Tool, input: string, context: CallContext): Promise<Ending> {
  try {
    return encodeResult(await tool(JSON.parse(input), context));
  } catch (error) {
    return { thrown: encodeThrown(error) };
  }
}
