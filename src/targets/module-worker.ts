/** Runs in a worker thread: loads the user's module and calls its function as often as it is asked to. */
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { CallAnswer, CallRequest, WorkerMessage, WorkerSetup } from './module-worker-messages.ts';
import { CallContext } from './call-context.ts';
import { PrintedByCall } from './printed-by-call.ts';

type Tool = (input: unknown, context: CallContext) => unknown;
type Ending = Pick<CallAnswer, 'result' | 'notJson' | 'thrown'>;

const { file, exportName, progress } = workerData as WorkerSetup;
const lastStarted = new Int32Array(progress);
const waiting: CallRequest[] = [];
const calls = new Map<number, CallContext>();
const printed = new PrintedByCall();
const send = (message: WorkerMessage): void => parentPort?.postMessage(message);

try {
  const tool = await loadTool();
  parentPort?.on('message', (requests: readonly CallRequest[]) => {
    if (waiting.push(...requests) === requests.length) startNext(tool);
  });
  send({ kind: 'loaded' });
} catch (error) {
  send({ kind: 'load-failed', message: error instanceof Error ? error.message : String(error) });
}

async function loadTool(): Promise<Tool> {
  const module = await importModule();
  const tool = module[exportName];
  if (typeof tool === 'function') return tool as Tool;
  const names = Object.keys(module).filter((name) => typeof module[name] === 'function');
  throw new Error(`it has no exported function "${exportName}"; it exports: ${names.join(', ') || 'no function'}`);
}

async function importModule(): Promise<Record<string, unknown>> {
  if (/\.[cm]?js$/.test(file)) return import(pathToFileURL(file).href);
  const { createJiti } = await import('jiti');
  return createJiti(import.meta.url).import(file);
}

/** Each call starts in a turn of its own, so that an answer is on its way before the next call can block the thread. */
function startNext(tool: Tool): void {
  const request = waiting.shift();
  if (request?.kind === 'abort') calls.get(request.sequence)?.abort();
  else if (request) void answer(tool, request.sequence, request.input);
  if (waiting.length > 0) setImmediate(startNext, tool);
}

async function answer(tool: Tool, sequence: number, input: string): Promise<void> {
  const context = new CallContext();
  calls.set(sequence, context);
  // Lets the other side tell, after it had to end this thread, which calls had begun.
  Atomics.store(lastStarted, 0, sequence);
  const began = performance.now();
  const [ending, text] = await printed.during(() => callTool(tool, input, context));
  calls.delete(sequence);
  send({ kind: 'answer', sequence, durationMs: performance.now() - began, printed: text, ...ending });
}

async function callTool(tool: Tool, input: string, context: CallContext): Promise<Ending> {
  try {
    return encodeResult(await tool(JSON.parse(input), context));
  } catch (error) {
    return { thrown: encodeError(error) };
  }
}

function encodeResult(value: unknown): Ending {
  try {
    return { result: JSON.stringify(value) };
  } catch (error) {
    return { notJson: `a value that is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Own JSON fields of an error, such as a code, are kept beside its name and message. */
function encodeError(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify({ message: describeThrown(error) });
  const { name, message } = error;
  try {
    return JSON.stringify({ name, ...(error as object), message });
  } catch {
    return JSON.stringify({ name, message });
  }
}

function describeThrown(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown;
  try {
    return JSON.stringify(thrown) ?? String(thrown);
  } catch {
    return 'a value that is not JSON';
  }
}
