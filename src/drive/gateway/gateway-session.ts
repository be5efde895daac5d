import { setMaxListeners } from 'node:events';
import { unansweredEvents } from '../../domain/costs.ts';
import { AssayError } from '../../domain/errors.ts';
import type { EmitTrace } from '../../domain/trace.ts';
import { counted, grouped } from '../../shared/format.ts';
import { sha256 } from '../../shared/ids.ts';
import { type Redact, redactionOf } from '../../shared/redaction/redaction.ts';
import { oneLine } from '../../shared/text.ts';
import type { EventCodec, ReceivedRequest } from '../wire/codec.ts';
import { promptText } from '../wire/request.ts';
import { Allowance } from './allowance.ts';
import { CallFiles } from './call-files.ts';
import { CallThreads } from './call-threads.ts';
import type { CallWatch } from './call-watch.ts';
import { FoundInstructions, type InstructionPatterns } from './found-instructions.ts';
import type { CallReply } from './gateway-apis.ts';
import type { ModelFaults } from './model-faults.ts';
import { Outages } from './outages.ts';
import type { CallLimits } from './purses.ts';
import { RefusedRequest, Route, type RouteTarget } from './route.ts';
import type { SessionTape } from './tape/session-tape.ts';
import type { CallTimes, TrialTape } from './tape/trial-tape.ts';

/** One trial, or one program, whose requests go through the gateway. */
export interface SessionOptions {
  readonly emit: EmitTrace;
  readonly redact: Redact;
  /** Absolute; the bodies of calls go to `model-calls` in it. Undefined: they are not kept. */
  readonly folder: string | undefined;
  readonly limits: CallLimits;
  /** Requested from the provider whatever the agent requests. */
  readonly pinnedModel?: string | undefined;
  /** Requests that may be open at a time; by default as many as an agent with its sub-agents could need. */
  readonly mostOpen?: number | undefined;
  /** Requests of the main conversation that are answered; undefined where the agent itself keeps the limit. */
  readonly maxTurns?: number | undefined;
  /** The task of the agent, by which its main conversation is recognised. */
  readonly task: string;
  readonly instructions?: InstructionPatterns | undefined;
  /** Breaks calls on purpose. */
  readonly faults?: ModelFaults | undefined;
  /** Looks for the secret of an attack. */
  readonly watch?: CallWatch | undefined;
  /** Records the calls, or answers them. */
  readonly tape?: SessionTape | undefined;
  /** Keeps the calls for a process that has to go on, and answers those of one that ended. */
  readonly trialTape?: TrialTape | undefined;
  /** Called when a limit is reached, or a call is missing in a recording; the agent is to be stopped. */
  readonly onLimit: (reason: AssayError) => void;
  /** Called with a reason that is not an error when the agent has had all its turns. */
  readonly onTurnLimit?: ((reason: string) => void) | undefined;
  /** Called with each request that could be understood. */
  readonly onRequest?: ((request: ReceivedRequest) => void) | undefined;
}

/** A call that was begun. */
export interface BegunCall {
  readonly number: number;
  readonly api: EventCodec;
  readonly beganMs: number;
  lastByteMs: number;
  /** Whether a fault of the scenario broke it. */
  isBroken?: boolean;
}

/** A call that is over, with everything that was seen of it. */
export interface FinishedCall {
  readonly call: BegunCall;
  /** Undefined where the body could not be read. */
  readonly request: ReceivedRequest | undefined;
  readonly thread: number | undefined;
  readonly sentAs: string | undefined;
  readonly status: number | null;
  readonly reply: CallReply | undefined;
  readonly error: string | undefined;
  /** Whether the agent itself broke off the call. */
  readonly isAbandoned: boolean;
  readonly mayBeBilled: boolean;
  readonly timeToFirstTokenMs: number | undefined;
  readonly isReplayed: boolean;
  /** Of the call itself, where its reply comes from the tape of the trial. */
  readonly tapedTimes: CallTimes | undefined;
  readonly requestText: string;
  readonly replyText: string | undefined;
  readonly isStream: boolean;
}

const mostNotices = 20;
/** Requests at a time: an agent with its sub-agents makes far fewer. */
const usualMostOpen = 64;
/** Calls in all: an agent that makes more is out of control. */
const mostCalls = 10_000;

/** Everything that the gateway knows of one session. */
export class GatewaySession {
  readonly options: SessionOptions;
  readonly allowance: Allowance;
  readonly outages = new Outages();
  readonly #threads: CallThreads;
  readonly #files: CallFiles | undefined;
  readonly #instructions: FoundInstructions | undefined;
  readonly #routes: Route[] = [];
  readonly #openCalls = new Set<BegunCall>();
  readonly #failed = new Map<string, number>();
  readonly #ending = new AbortController();
  readonly #unfinished = new Set<Promise<void>>();
  #calls = 0;
  #open = 0;
  /** Answers of the model, by conversation: which of them is the main one may be known only later. */
  readonly #turns = new Map<number, number>();
  #notices = 0;
  #hasShortenedReply = false;
  #exchanges = 0;
  #hasUsage = false;

  constructor(options: SessionOptions) {
    this.options = options;
    // Each open request listens for the end of the session.
    setMaxListeners(0, this.#ending.signal);
    this.allowance = new Allowance(options.limits);
    this.#threads = new CallThreads(options.task);
    const redact: Redact = (text) => options.redact(this.#withoutKeys(text));
    this.#files = options.folder === undefined ? undefined : new CallFiles(options.folder, redact);
    this.#instructions = options.instructions && new FoundInstructions(options.instructions);
  }

  addRoute(target: RouteTarget): Route {
    const route = new Route(target);
    this.#routes.push(route);
    return route;
  }

  /** The agent gets a task: the first, or another one. */
  beginTask(task: string): void {
    this.#threads.beginTask(task);
  }

  get routes(): readonly Route[] {
    return this.#routes;
  }

  /** Aborted when the session is over: whatever is still open is ended. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Whether the provider reported tokens of a call. */
  get hasUsage(): boolean {
    return this.#hasUsage;
  }

  get callCount(): number {
    return this.#calls;
  }

  /** Lets a request in; gives the function that lets it out, or undefined where there are too many. */
  enter(): (() => void) | undefined {
    const { mostOpen = usualMostOpen } = this.options;
    if (this.#open >= mostOpen || this.#calls >= mostCalls) return undefined;
    this.#open++;
    let isIn = true;
    return () => {
      if (isIn) this.#open--;
      isIn = false;
    };
  }

  /** Runs what has to be done after a reply has passed; the end of the session waits for it. */
  later(work: () => void, call?: BegunCall): void {
    const done = new Promise<void>((resolve) => {
      setImmediate(() => {
        try {
          work();
        } catch (error) {
          this.#lose(call, error);
        }
        resolve();
      });
    });
    this.#unfinished.add(done);
    void done.then(() => this.#unfinished.delete(done));
  }

  /** A reply that cannot be read, for whatever reason, has already passed: it must not end the run. */
  #lose(call: BegunCall | undefined, error: unknown): void {
    if (call) this.#openCalls.delete(call);
    const reason = `a model call could not be read: ${error instanceof Error ? error.message : String(error)}`;
    this.options.emit({ type: 'gap', seenBy: 'gateway', channels: ['usage', 'cost', 'requests'], reason });
  }

  begin(api: EventCodec): BegunCall {
    const beganMs = performance.now();
    const call = { number: ++this.#calls, api, beganMs, lastByteMs: beganMs };
    this.#openCalls.add(call);
    return call;
  }

  /** The conversation of a request; looks for instructions on the way. */
  place(request: ReceivedRequest): number {
    const text = promptText(request);
    const prompt = oneLine(text);
    const thread = this.#threads.threadOf(request, prompt);
    this.#instructions?.look(thread, prompt, text);
    this.options.watch?.request(request, thread);
    this.options.onRequest?.(request);
    return thread;
  }

  /** Refuses a turn too many of the main conversation. */
  assertTurnLeft(thread: number): void {
    const { maxTurns, onTurnLimit } = this.options;
    if (maxTurns === undefined || thread !== this.#threads.main || (this.#turns.get(thread) ?? 0) < maxTurns) return;
    onTurnLimit?.(`stopped at the limit of ${counted(maxTurns, 'turn')}`);
    throw new RefusedRequest(402, `The agent has had all of its ${counted(maxTurns, 'turn')}.`);
  }

  finish(finished: FinishedCall): void {
    const { call, request, thread, reply, error, isAbandoned } = finished;
    this.#openCalls.delete(call);
    this.options.watch?.reply(call.api.name, request, thread, reply?.stopReason);
    const isMain = thread !== undefined && thread === this.#threads.main;
    if (thread !== undefined && error === undefined) this.#turns.set(thread, (this.#turns.get(thread) ?? 0) + 1);
    const key = request && sha256(`${request.system}\u0000${JSON.stringify(request.writtenMessages)}`);
    const retryOf = key === undefined ? undefined : this.#failed.get(key);
    if (key !== undefined && error !== undefined) this.#failed.set(key, call.number);
    else if (key !== undefined) this.#failed.delete(key);
    if (isMain && !isAbandoned) this.outages.note(error, finished.status, call.isBroken);
    this.#emitCall(finished, retryOf);
    const model = finished.sentAs ?? request?.model ?? reply?.respondedAs ?? 'unknown';
    if (reply?.usage) this.#emitUsage(finished, reply.usage, model);
    if (finished.mayBeBilled) for (const event of unansweredEvents(model, 1, 'target')) this.options.emit(event);
  }

  /** A call that never left the gateway has no event, only its refusal. */
  forget(call: BegunCall): void {
    this.#openCalls.delete(call);
  }

  /** An agent that could say less than it wanted may work worse, so its trace says so. */
  noteShorterReply(wanted: number, limit: number): void {
    if (this.#hasShortenedReply) return;
    this.#hasShortenedReply = true;
    const message = `From here on, the spending limit shortens replies: ${grouped(wanted)} tokens were wanted, and ${grouped(limit)} were allowed, thinking included.`;
    this.options.emit({ type: 'notice', seenBy: 'gateway', message });
  }

  notice(message: string): void {
    this.#notices++;
    if (this.#notices <= mostNotices) this.options.emit({ type: 'notice', seenBy: 'gateway', message });
  }

  /** A request other than a call for a reply, such as one for the list of models. */
  exchange(data: { readonly method: string; readonly path: string; readonly status: number | null }): void {
    this.#exchanges++;
    if (this.#exchanges > mostNotices) return;
    this.options.emit({ type: 'other', seenBy: 'gateway', kind: 'gateway-exchange', data });
  }

  /** Milliseconds since anything came of a call that is still open; undefined where none is. */
  get silentMs(): number | undefined {
    const now = performance.now();
    const waits = [...this.#openCalls].filter(({ isBroken }) => !isBroken).map(({ lastByteMs }) => now - lastByteMs);
    return waits.length === 0 ? undefined : Math.max(...waits);
  }

  /** Ends everything that is open, waits for what is being written, and emits what is known at the end. */
  async conclude(): Promise<void> {
    this.#ending.abort();
    while (this.#openCalls.size > 0 || this.#unfinished.size > 0) {
      await Promise.all(this.#unfinished);
      if (this.#openCalls.size > 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const { emit } = this.options;
    const more = this.#notices - mostNotices;
    if (more > 0) {
      emit({ type: 'notice', seenBy: 'gateway', message: `The gateway refused ${counted(more, 'more request')}.` });
    }
    if (this.#exchanges > mostNotices) {
      const message = `${counted(this.#exchanges - mostNotices, 'more request')} other than model calls are not listed.`;
      emit({ type: 'notice', seenBy: 'gateway', message });
    }
    for (const message of (await this.#files?.finish()) ?? []) emit({ type: 'notice', seenBy: 'gateway', message });
    await this.#finishTape();
    this.options.watch?.conclude();
    if (this.#instructions) emit(this.#instructions.event(this.#threads.main));
  }

  async #finishTape(): Promise<void> {
    const { tape, trialTape, onLimit } = this.options;
    const unrepeated = trialTape?.finish();
    if (unrepeated) onLimit(unrepeated);
    try {
      await tape?.finish();
    } catch (error) {
      if (!(error instanceof AssayError)) throw error;
      onLimit(error);
    }
  }

  #emitCall(finished: FinishedCall, retryOf: number | undefined): void {
    const { call, request, reply, error, thread, sentAs, tapedTimes, isStream } = finished;
    const { durationMs, timeToFirstTokenMs } = tapedTimes ?? {
      durationMs: performance.now() - call.beganMs,
      timeToFirstTokenMs: finished.timeToFirstTokenMs,
    };
    const extension = isStream ? 'sse' : (finished.replyText?.startsWith('{') ?? true) ? 'json' : 'txt';
    const files = this.#files?.keep(call.number, finished.requestText, finished.replyText, extension);
    this.options.emit({
      type: 'model-call',
      seenBy: 'gateway',
      number: call.number,
      api: call.api.name,
      model: request?.model ?? reply?.respondedAs ?? 'unknown',
      ...present({ sentAs, respondedAs: reply?.respondedAs }),
      status: finished.status,
      ...(error === undefined ? {} : { error: { message: this.options.redact(this.#withoutKeys(error)) } }),
      durationMs: rounded(durationMs),
      ...present({ timeToFirstTokenMs: timeToFirstTokenMs === undefined ? undefined : rounded(timeToFirstTokenMs) }),
      ...present({ stopReason: reply?.stopReason }),
      tools: (request?.tools ?? []).map(({ name }) => name),
      systemSha256: sha256(request?.system ?? ''),
      ...present({ retryOf, agentThread: thread }),
      isReplayed: finished.isReplayed,
      ...(tapedTimes && { isTaped: true as const }),
      ...(call.isBroken && { answeredBy: 'fault' as const }),
      ...present({ files }),
    });
  }

  #emitUsage(
    { call, request, reply, isReplayed }: FinishedCall,
    usage: NonNullable<CallReply['usage']>,
    model: string,
  ): void {
    this.#hasUsage = true;
    const costUsd = isReplayed ? 0 : this.allowance.costOf(priceNames(model, call.api, reply, request), usage);
    this.options.emit({
      type: 'usage',
      seenBy: 'gateway',
      model,
      ...usage,
      ...present({ costUsd }),
      call: call.number,
    });
  }

  #withoutKeys(text: string): string {
    const keys = this.#routes.flatMap(({ secrets }) => secrets).filter((key) => key.length >= 8);
    const named = keys.reduce((clean, key) => clean.replaceAll(key, '[key]'), text);
    return keys.length === 0 ? named : redactionOf(keys)(named);
  }
}

const providers = {
  'anthropic-messages': 'anthropic',
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  gemini: 'google',
} as const;

/** Names under which the price of a call may be listed: as it was requested, with its provider, as it was answered. */
export function priceNames(
  model: string,
  api: EventCodec,
  reply?: CallReply | undefined,
  request?: ReceivedRequest | undefined,
): [string, ...string[]] {
  const names = [model, request?.model ?? model, reply?.respondedAs ?? model];
  return [model, ...new Set([...names, ...names.map((name) => `${providers[api.name]}/${name}`)])];
}

function present<Fields extends Readonly<Record<string, unknown>>>(fields: Fields) {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}
