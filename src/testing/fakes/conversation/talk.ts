import * as z from 'zod';
import { asAssayError } from '../../../domain/errors.ts';
import type { Message } from '../../../domain/message.ts';
import type { Trace } from '../../../domain/trace.ts';
import { eventsOf } from '../../../domain/trace.ts';
import type { Trial } from '../../../domain/trial.ts';
import type { Variant } from '../../../domain/variant.ts';
import type {
  ConnectorKind,
  ConnectorRequest,
  ConnectorResponse,
  ConnectorSettings,
} from '../../../drive/connectors/connector.ts';
import { defineConnector } from '../../../drive/connectors/connector.ts';
import type { ConversationConfig } from '../../../drive/conversation/conversation-config.ts';
import { conversationConfigSchema } from '../../../drive/conversation/conversation-config.ts';
import { conversationTargetWith } from '../../../drive/conversation/conversation-target.ts';
import { Threads } from '../../../drive/targets/call/threads.ts';
import { StampedTrace } from '../../../drive/targets/stamped-trace.ts';
import type { TargetContext, TurnControl } from '../../../drive/targets/target.ts';

type Answer = string | readonly Message[] | Partial<ConnectorResponse>;

/** An agent that answers as a function says. */
export type Agent = (request: ConnectorRequest) => Answer | Promise<Answer>;

/** A kind of connector with one agent behind it, and what was done with it. */
export function connectorTo(agent: Agent) {
  const requests: ConnectorRequest[] = [];
  const opened: ConnectorSettings[] = [];
  let closedCount = 0;
  const kind: ConnectorKind = defineConnector({
    type: 'function',
    label: 'Function',
    summary: 'answers as a function says',
    reports: [],
    configSchema: z.strictObject({ depth: z.int().default(1) }),
    async open(_config, settings) {
      opened.push(settings);
      return {
        async invoke(request) {
          requests.push(request);
          return responseOf(await agent(request));
        },
        [Symbol.asyncDispose]: async () => {
          closedCount++;
        },
      };
    },
  });
  return { kind, requests, opened, closedCount: () => closedCount };
}

function responseOf(answer: Answer): ConnectorResponse {
  if (typeof answer === 'string') return { messages: [{ role: 'assistant', content: answer }], latencyMs: 5 };
  return { messages: [], latencyMs: 5, ...(Array.isArray(answer) ? { messages: answer } : answer) };
}

interface TalkOptions {
  readonly variant?: Variant;
  readonly input?: unknown;
  readonly context?: Partial<TargetContext>;
  readonly signal?: AbortSignal;
  readonly afterTurn?: (isLast: boolean) => Promise<'go on' | 'stop'>;
}

/** A config with the agent behind its only connector. */
export function configOf(
  written: Omit<z.input<ReturnType<typeof conversationConfigSchema>>, 'connectors'>,
): ConversationConfig {
  return conversationConfigSchema().parse({ connectors: { agent: { type: 'function' } }, ...written });
}

/** Everything that can be seen of one conversation with an agent. */
export async function talk(agent: Agent, config: ConversationConfig, options: TalkOptions = {}) {
  const connector = connectorTo(agent);
  const trace = new StampedTrace();
  const lastFlags: boolean[] = [];
  const turns: TurnControl = {
    async afterTurn(isLast) {
      const isKnownLast = isLast === true;
      if ((await options.afterTurn?.(isKnownLast)) === 'stop') {
        lastFlags.push(isKnownLast);
        return 'stop';
      }
      lastFlags.push(typeof isLast === 'boolean' ? isLast : await isLast());
      return lastFlags.at(-1) ? 'stop' : 'go on';
    },
  };
  const { signal = new AbortController().signal } = options;
  const stop = { isStopped: signal.aborted, signal, onStop: () => undefined };
  const context = { directory: '/', env: {}, threads: new Threads(), signal, ...options.context };
  await using target = await conversationTargetWith([connector.kind]).open(config, context);
  const trial = trialOf(options.variant ?? {}, options.input);
  const error = await target.attempt(trial, trace, stop, turns).then(
    () => undefined,
    (thrown: unknown) => asAssayError(thrown),
  );
  return { trace: trace.events, lastFlags, error, requests: connector.requests, opened: connector.opened };
}

/** The messages of user and assistant, one line each. */
export function linesOf(trace: Trace): string[] {
  return eventsOf(trace, 'message').map(({ role, text }) => `${role}: ${text}`);
}

/** The notices of a trace. */
export function noticesOf(trace: Trace): string[] {
  return eventsOf(trace, 'notice').map(({ message }) => message);
}

/** Why the conversation ended, and the reason in words. */
export function endOf(trace: Trace): string[] {
  return eventsOf(trace, 'conversation-ended').map(({ why, reason }) => `${why}: ${reason}`);
}

function trialOf(variant: Variant, input: unknown): Trial {
  const trial = { trialId: 't-1', runId: 'r-1', ordinal: 0, variant, repeat: 1 };
  const one = { caseId: 'input', input, expected: undefined, evaluators: [] };
  return { ...trial, case: one, scenario: {} } as unknown as Trial;
}
