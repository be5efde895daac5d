import { setTimeout as pause } from 'node:timers/promises';
import { controlOfTrial, controlSeed } from '../../domain/control-of-trial.ts';
import { AssayError } from '../../domain/errors.ts';
import type { Fault } from '../../domain/tool-control/faults.ts';
import type { EmitTrace } from '../../domain/trace.ts';
import type { Trial } from '../../domain/trial.ts';
import { sha256 } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import { systemClock } from '../pacing/clock.ts';
import { Control, type Decision } from '../tool-control/control.ts';
import { type FaultyBorder, faultRules } from '../tool-control/faults/fault-rule.ts';
import { failureText } from '../tool-control/faults/text-faults.ts';
import { type Model, ModelFailure, type ModelReply, type ModelRequest } from './model.ts';
import { AnsweredError, classifyFailure } from './provider-errors.ts';
import { RetryBudget, withRetries } from './retry.ts';

/** How a request to a model ends. */
type BareAnswer =
  | { readonly kind: 'reply'; readonly reply: ModelReply }
  | { readonly kind: 'failure'; readonly status: number; readonly message: string; readonly retryAfterSecs?: number }
  | { readonly kind: 'dropped' };

/** Puts the faults of a trial in front of the model that it prompts itself. */
export type BreakModel = (model: Model) => Model;

/**
 * The faults of a trial for requests to a model without an agent; undefined where it has none. Recordings and spending
 * are behind them: what the provider did is not changed, and what Assay breaks is sent again as after a real failure.
 */
export function modelFaultsOf(trial: Trial, emit: EmitTrace): BreakModel | undefined {
  const faults = (controlOfTrial(trial)?.faults ?? []).filter(({ border }) => border === 'model');
  if (faults.length === 0) return undefined;
  const rules = faultRules(faults, controlSeed(trial), bareModelFaults);
  const control = new Control<BareAnswer>('model', rules, (action) => emit({ type: 'tool-control', ...action }));
  const requests = new FaultyRequests(control, emit);
  // Trials share neither their faults nor the retries after them.
  const rulesOfRetries = { budget: new RetryBudget(), clock: systemClock, random: Math.random };
  return (model) => {
    const retried = withRetries({ name: model.name, generate: requests.of(model) }, rulesOfRetries);
    return { name: model.name, generate: (...request) => retried.generate(...request).catch(asEnding) };
  };
}

/** A failure on purpose after which no retry worked says nothing about the provider. */
function asEnding(error: unknown): never {
  if (!(error instanceof BrokenRequest)) throw error;
  throw new AssayError('FAULT_ENDED_TRIAL', `${error.message} It was broken on purpose, and so were its retries.`);
}

/** A request that Assay broke. */
class BrokenRequest extends ModelFailure {}

class FaultyRequests {
  readonly #control: Control<BareAnswer>;
  readonly #emit: EmitTrace;
  #number = 0;

  constructor(control: Control<BareAnswer>, emit: EmitTrace) {
    this.#control = control;
    this.#emit = emit;
  }

  of(model: Model): Model['generate'] {
    return async (request, signal, unanswered, clock) => {
      const args = { request: sha256(canonicalJson(request)) };
      const decision = this.#control.decide({ tool: model.name, args });
      const number = ++this.#number;
      const began = performance.now();
      if (decision.delayMs > 0) await delayed(decision.delayMs, model.name, signal);
      const send = async (): Promise<BareAnswer> => ({
        kind: 'reply',
        reply: await model.generate(request, signal, unanswered, clock).catch(withoutRetries),
      });
      const { reply, answeredBy } = decision.alter(decision.reply ?? (await send()));
      this.#note(number, model, request, reply, answeredBy, performance.now() - began);
      if (reply.kind === 'reply') return reply.reply;
      throw brokenRequest(reply, model.name);
    };
  }

  #note(
    number: number,
    { name: model }: Model,
    { system = '', tools = [] }: ModelRequest,
    answer: BareAnswer,
    answeredBy: Decision<BareAnswer>['answeredBy'],
    durationMs: number,
  ): void {
    const reply = answer.kind === 'reply' ? answer.reply : undefined;
    const message = answer.kind === 'failure' ? answer.message : 'the connection was closed on purpose';
    this.#emit({
      type: 'model-call',
      number,
      model,
      ...(reply && { respondedAs: reply.respondedAs, stopReason: reply.finishReason }),
      status: reply ? 200 : answer.kind === 'failure' ? answer.status : null,
      ...(!reply && { error: { message } }),
      durationMs: Math.round(durationMs * 100) / 100,
      tools: tools.map((tool) => tool.name),
      systemSha256: sha256(system),
      isReplayed: reply?.isReplayed ?? false,
      ...(answeredBy && { answeredBy }),
    });
  }
}

/** The retries of a real failure are used up when it gets here. */
function withoutRetries(error: unknown): never {
  if (!(error instanceof ModelFailure)) throw error;
  throw new ModelFailure(error.code, error.message, { ...error.traits, retry: 'never' });
}

async function delayed(ms: number, model: string, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {
    const message = `A request to ${model} was delayed on purpose by ${ms} ms, longer than the trial had time.`;
    throw new AssayError('FAULT_ENDED_TRIAL', message);
  });
}

/** A failure in the words that a real one of the same kind has. */
function brokenRequest(answer: Exclude<BareAnswer, { kind: 'reply' }>, name: string): BrokenRequest {
  if (answer.kind === 'dropped') {
    const traits = { retry: 'always', isProvidersFault: false, mayBeBilled: false } as const;
    return new BrokenRequest('MODEL_UNAVAILABLE', `${name}: the connection was closed.`, traits);
  }
  const { status, message, retryAfterSecs } = answer;
  const headers: Record<string, string> = retryAfterSecs === undefined ? {} : { 'retry-after': String(retryAfterSecs) };
  const body = JSON.stringify({ error: { message } });
  const call = { name, nowMs: systemClock.nowMs(), redact: (text: string) => text };
  const { code, message: words, traits } = classifyFailure(new AnsweredError(status, body, headers), call);
  return new BrokenRequest(code, `${words}.`, { ...traits, isProvidersFault: false, mayBeBilled: false });
}

const dropped: BareAnswer = { kind: 'dropped' };

const bareModelFaults: FaultyBorder<BareAnswer> = {
  hasArguments: () => true,
  failure: (fault) => ({ kind: 'failure', ...failureOf(fault) }),
  // Refused in files: no caller would give the request up.
  unanswered: dropped,
  dropped,
  emptied: (answer) => changed(answer, (reply) => ({ ...reply, text: '', toolCalls: [], finishReason: 'stop' })),
  // A call whose arguments are cut off cannot be read, so a reply loses its calls with the second half of its text.
  withTexts: (answer, change) =>
    changed(answer, (reply) => ({ ...reply, text: change(reply.text), toolCalls: [], finishReason: 'length' })),
};

function failureOf(fault: Fault) {
  const status = fault.fault === 'rate-limit' ? 429 : (fault.status ?? 500);
  const { retryAfterSecs } = fault;
  return { status, message: failureText(fault), ...(retryAfterSecs !== undefined && { retryAfterSecs }) };
}

function changed(answer: BareAnswer, change: (reply: ModelReply) => ModelReply): BareAnswer {
  return answer.kind === 'reply' ? { kind: 'reply', reply: change(answer.reply) } : answer;
}
