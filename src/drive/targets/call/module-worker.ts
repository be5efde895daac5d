import { AsyncLocalStorage } from 'node:async_hooks';
import { readFile } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import { importUserModule } from '../../../shared/import-user-module.ts';
import { BoundedOutput } from '../../../shared/processes/bounded-output.ts';
import { compileCode, withArguments } from './compile-code.ts';
import { TurnGate } from './module-thread.ts';
import {
  type CallAnswer,
  type CallRequest,
  encodeResult,
  encodeThrown,
  messageOf,
  type PrintedText,
  type WorkerMessage,
  type WorkerSetup,
} from './module-worker-messages.ts';

/** The second argument of a tool. The signal is created on first use: most functions never use it. */
class CallContext {
  #controller: AbortController | undefined;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  abort(): void {
    this.#controller ??= new AbortController();
    this.#controller.abort();
  }
}

type Channel = PrintedText['channel'];
type Outputs = Map<Channel, BoundedOutput>;

const keptHeadBytes = 8_192;
const keptTailBytes = 8_192;

/**
 * Collects what each call prints, also when many calls run at once, instead of letting it into the report on stdout.
 * Output outside of any call goes to stderr.
 */
class PrintedByCall {
  readonly #current = new AsyncLocalStorage<Outputs>();

  constructor() {
    this.#capture('stdout');
    this.#capture('stderr');
  }

  async during<Value>(call: () => Promise<Value>): Promise<[Value, PrintedText[]]> {
    const outputs: Outputs = new Map();
    const value = await this.#current.run(outputs, call);
    if (outputs.size === 0) return [value, []];
    return [
      value,
      [...outputs].map(([channel, output]) => ({
        channel,
        text: output.text(),
        truncatedBytes: output.truncatedBytes,
      })),
    ];
  }

  #capture(channel: Channel): void {
    const stderrWrite = process.stderr.write.bind(process.stderr);
    process[channel].write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
      const outputs = this.#current.getStore();
      if (!outputs) return stderrWrite(chunk);
      let output = outputs.get(channel);
      if (!output) {
        output = new BoundedOutput(keptHeadBytes, keptTailBytes);
        outputs.set(channel, output);
      }
      const encoding = rest.find((argument) => typeof argument === 'string') as BufferEncoding | undefined;
      output.append(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk));
      const done = rest.find((argument) => typeof argument === 'function');
      if (done) queueMicrotask(done as () => void);
      return true;
    };
  }
}

/** Runs in a worker thread: loads the user's module and calls its function for each request. */

type Tool = (...given: unknown[]) => unknown;
type Ending = Pick<CallAnswer, 'result' | 'unusable' | 'thrown'>;

const waiting: CallRequest[] = [];
const calls = new Map<number, CallContext>();
const printed = new PrintedByCall();
const send = (message: WorkerMessage): void => parentPort?.postMessage(message);

parentPort?.once('message', begin);

async function begin(setup: WorkerSetup): Promise<void> {
  try {
    const { file, exportName, code, parameters } = setup;
    const loaded = code === undefined ? await loadTool(file, exportName) : compileCode(code, parameters ?? []);
    const tool = parameters ? withArguments(loaded, parameters) : loaded;
    const gate = new TurnGate(setup.gate);
    parentPort?.on('message', (requests: readonly CallRequest[]) => {
      if (waiting.push(...requests) === requests.length) startNext(tool, gate);
    });
    send({ kind: 'loaded' });
  } catch (error) {
    send({ kind: 'load-failed', message: `${messageOf(error)}${await syntaxErrorPlace(error, setup.file)}` });
  }
}

/** Node does not report where a syntax error in JavaScript is, so another parser finds it. Empty where it is elsewhere. */
async function syntaxErrorPlace(error: unknown, file: string): Promise<string> {
  if (!(error instanceof SyntaxError) || !/\.[cm]?js$/.test(file)) return '';
  try {
    const [{ parse }, text] = await Promise.all([import('acorn'), readFile(file, 'utf8')]);
    parse(text, { ecmaVersion: 'latest', sourceType: file.endsWith('.cjs') ? 'script' : 'module' });
  } catch (found) {
    const { loc } = found as { readonly loc?: { readonly line: number; readonly column: number } };
    if (loc) return ` (line ${loc.line}, column ${loc.column + 1})`;
  }
  return '';
}

async function loadTool(file: string, exportName: string): Promise<Tool> {
  const module = await importUserModule(file);
  const tool = module[exportName];
  if (typeof tool === 'function') return tool as Tool;
  const names = Object.keys(module).filter((name) => typeof module[name] === 'function');
  throw new Error(`it has no exported function "${exportName}"; it exports: ${names.join(', ') || 'no function'}`);
}

/** Each call starts in its own turn, so an answer is sent before the next call can block the thread. */
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
