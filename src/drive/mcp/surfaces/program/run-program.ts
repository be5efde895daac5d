import { Worker } from 'node:worker_threads';
import { parse } from 'acorn';
import * as z from 'zod';
import { isRecord, parseJson } from '../../../../shared/json.ts';
import sandbox from './sandbox.js?raw';

/** The result of a tool for a program, or the message that it throws. */
export type ProgramAnswer = { readonly value: unknown } | { readonly error: string };

interface ProgramRequest {
  readonly code: string;
  /** Makes a call; rejects where the server can no longer be used, which ends the program. */
  callTool(tool: string, input: unknown): Promise<ProgramAnswer>;
  readonly signal: AbortSignal;
  /** Time that the program may compute; its calls have their own limits. */
  readonly computeMs?: number;
}

/** The outcome of a program: its printed lines, and its value or why it has none. */
export interface ProgramOutcome {
  readonly lines: readonly string[];
  readonly value?: unknown;
  readonly error?: string | undefined;
}

const usualComputeMs = 5_000;
const mostCalls = 200;
const limits = { mostLines: 200, mostCharacters: 2_000, longestMessage: 1_000_000 };
const memory = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8, stackSizeMb: 2 };

const messageSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('call'), id: z.int().min(0), tool: z.string(), input: z.unknown() }),
  z.object({
    kind: z.literal('end'),
    lines: z.array(z.string()),
    value: z.unknown().optional(),
    error: z.string().optional(),
  }),
  z.object({ kind: z.enum(['ready', 'too-long', 'broken']) }),
]);

/** Runs a program of a model in a thread with nothing but the tools; it ends with the program, whatever it does. */
export async function runProgram(request: ProgramRequest): Promise<ProgramOutcome> {
  const problem = programProblem(request.code);
  if (problem !== undefined) return { lines: [], error: problem };
  request.signal.throwIfAborted();
  await using run = new ProgramRun(request);
  return await run.outcome;
}

class ProgramRun implements AsyncDisposable {
  readonly outcome: Promise<ProgramOutcome>;
  readonly #request: ProgramRequest;
  readonly #worker: Worker;
  #settle: (outcome: ProgramOutcome) => void = () => undefined;
  #fail: (reason: unknown) => void = () => undefined;
  /** One call after the other, in the order of the program. */
  #queue: Promise<void> = Promise.resolve();
  #calls = 0;
  #openCalls = 0;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #onAbort = (): void => this.#fail(this.#request.signal.reason);

  constructor(request: ProgramRequest) {
    this.#request = request;
    this.outcome = new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#fail = reject;
    });
    // It is awaited by who made this, and may fail before.
    this.outcome.catch(() => undefined);
    const workerData = { code: request.code, ...limits };
    this.#worker = new Worker(sandbox, {
      eval: true,
      env: {},
      execArgv: [],
      workerData,
      resourceLimits: memory,
      stdout: true,
      stderr: true,
    });
    this.#worker.on('message', (text: unknown) => this.#take(text));
    this.#worker.on('error', (error) => this.#end(`the program was stopped: ${endOf(error)}`));
    this.#worker.on('exit', () => this.#end('the program ended without a result'));
    request.signal.addEventListener('abort', this.#onAbort);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#request.signal.removeEventListener('abort', this.#onAbort);
    await this.#worker.terminate();
    // A call that the program did not wait for has been made, and has its result on record.
    await this.#queue.catch(() => undefined);
  }

  #take(text: unknown): void {
    const message = messageSchema.safeParse(typeof text === 'string' ? parseJson(text) : undefined).data;
    if (message?.kind === 'call') this.#call(message.id, message.tool, message.input);
    else if (message?.kind === 'end') this.#settle(message);
    else if (message?.kind === 'ready') this.#watchTime();
    else this.#end(message?.kind === 'too-long' ? 'the result or an argument is too long' : 'the program broke off');
  }

  #call(id: number, tool: string, input: unknown): void {
    if (this.#isOver) return;
    if (++this.#calls > mostCalls) {
      this.#end(`the program made more than ${mostCalls} calls`);
      return;
    }
    clearTimeout(this.#timer);
    this.#openCalls++;
    this.#queue = this.#queue.then(async () => {
      if (this.#isOver) return;
      const answer = await this.#request.callTool(tool, input);
      this.#openCalls--;
      if (this.#isOver) return;
      this.#watchTime();
      this.#worker.postMessage(JSON.stringify({ id, ...answer }));
    });
    this.#queue.catch((error: unknown) => this.#fail(error));
  }

  /** Runs while no call is open, so a program that waits for a slow tool is not blamed for it. */
  #watchTime(): void {
    clearTimeout(this.#timer);
    const { computeMs = usualComputeMs } = this.#request;
    if (this.#openCalls > 0) return;
    this.#timer = setTimeout(
      () => this.#end(`the program ran for more than ${computeMs} ms without a call`),
      computeMs,
    );
  }

  #end(error: string): void {
    this.#settle({ lines: [], error });
  }
}

function endOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'it used too much memory' : String(error);
}

const longestCode = 50_000;

/** Why a text cannot be run as a program; undefined for one that can. */
function programProblem(code: string): string | undefined {
  if (code.length > longestCode) return `the program has more than ${longestCode} characters`;
  try {
    // Parsed as the body of a function, which it must not end.
    const tree: unknown = parse(`(async () => {'use strict';${code}\n})`, {
      ecmaVersion: 'latest',
      sourceType: 'script',
    });
    const only = isRecord(tree) && Array.isArray(tree.body) ? tree.body : [];
    if (only.length !== 1) return 'the program ends its own function';
    return hasImport(tree) ? '`import` is not available' : undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return `SyntaxError: ${error.message}`;
  }
}

/** The only expression that reaches outside of the realm without a name. */
function hasImport(root: unknown): boolean {
  const left: unknown[] = [root];
  while (left.length > 0) {
    const node = left.pop();
    if (typeof node !== 'object' || node === null) continue;
    if (isRecord(node) && (node.type === 'ImportExpression' || node.type === 'MetaProperty')) return true;
    left.push(...Object.values(node));
  }
  return false;
}
