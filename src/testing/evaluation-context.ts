import type { Message } from '../domain/message.ts';
import type { Trace, TraceEvent } from '../domain/trace.ts';
import type { Trial } from '../domain/trial.ts';
import { turnsOf } from '../domain/turn.ts';
import { type TokenUsage, usageOfCounts } from '../domain/usage.ts';
import type { EvaluationContext } from '../score/evaluators/evaluator.ts';
import { redactionOf } from '../shared/redaction/redaction.ts';

/** One answer of an agent in a conversation. */
export interface AnswerSample {
  /** Message of the user. */
  readonly prompt?: string | undefined;
  /** Answer: the text, or the messages of the assistant and of its tools; undefined if there was none. */
  readonly answer: string | readonly Message[] | undefined;
  readonly latencyMs?: number | undefined;
  readonly tokenUsage?: TokenUsage | undefined;
  readonly costUsd?: number | undefined;
  /** From 1. */
  readonly turn?: number | undefined;
  /** Whether no further answer will come; yes unless it is false. */
  readonly isFinal?: boolean | undefined;
  /** Values from the case of the scenario. */
  readonly input?: unknown;
  readonly expected?: unknown;
}

/** Context that an evaluator gets for an answer in a run, without a judge. */
export function evaluationContext(sample: AnswerSample): EvaluationContext {
  const trace = traceOf(sample);
  return {
    trial: trialOf(sample),
    trace,
    turn: turnsOf(trace).at(-1),
    workspace: undefined,
    isFinal: sample.isFinal ?? true,
    failures: [],
    judging: {
      ask: async () => {
        throw new Error('there is no judge in this test');
      },
      embed: async () => {
        throw new Error('there is no model in this test');
      },
      errorsIn: () => 'error',
    },
    services: { env: {}, updatesGolden: false, redact: redactionOf([]) },
    signal: new AbortController().signal,
  };
}

function traceOf({ prompt = 'Hello', answer, latencyMs = 100, turn = 1, tokenUsage, costUsd }: AnswerSample): Trace {
  const promptEvent: TraceEvent = { type: 'message', at: 0, seenBy: 'engine', role: 'user', text: prompt };
  if (answer === undefined) return [promptEvent];
  const messages: Message[] = typeof answer === 'string' ? [{ role: 'assistant', content: answer }] : [...answer];
  const measured = {
    latencyMs,
    ...(tokenUsage && { usage: usageOfCounts(tokenUsage) }),
    ...(costUsd !== undefined && { costUsd }),
  };
  return [promptEvent, { type: 'turn', at: latencyMs, seenBy: 'recorder', number: turn, messages, ...measured }];
}

function trialOf({ input, expected }: AnswerSample): Trial {
  const sample = { caseId: 'sample', input, expected, evaluators: [] };
  return {
    trialId: 't-sample',
    runId: 'r-sample',
    ordinal: 0,
    case: sample,
    variant: {},
    repeat: 1,
    scenario: {
      name: 'sample',
      description: '',
      file: 'sample.yaml',
      directory: '/',
      tags: [],
      tier: 0,
      repeat: 1,
      timeoutMs: 30_000,
      target: { type: 'sample', config: {} },
      judge: { models: [], samples: undefined },
      variants: [{}],
      composite: undefined,
      caseCount: 1,
      contentHash: 'sample',
      async *cases() {
        yield sample;
      },
    },
  };
}
