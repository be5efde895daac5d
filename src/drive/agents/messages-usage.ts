import type { ReportedUsage, Usage } from '../../domain/usage.ts';
import { readUsage, sumOfUsage } from '../../domain/usage.ts';
import { isRecord } from '../../shared/json.ts';
import type { AgentActions } from './actions.ts';
import { type AgentTrace, ofUsage } from './agent-trace.ts';
import { addUp, type JsonObject, objectOf } from './json-shapes.ts';

/** Emits the usage once, from the best source available: the sums by model, the sum, or the counts of the messages. */
export function emitUsage(
  trace: AgentTrace,
  closing: JsonObject | undefined,
  tally: MessageTally,
  dialect: MessagesDialect,
): Usage {
  const ofMessages = tally.sum();
  if (!closing) {
    if (tally.problem !== undefined) trace.gap(ofUsage, `the tokens of a message cannot be: ${tally.problem}`);
    if (trace.sawWork && !dialect.isStored) trace.gap(ofUsage, 'the agent ended before it reported its usage');
    return trace.usage(ofMessages);
  }
  const byModel = Object.entries(objectOf(closing.modelUsage));
  const parts = byModel.map(([model, usage]) => trace.usage({ model, ...ofModel(objectOf(usage)) }));
  const whole = { ...dialect.usageOf(objectOf(closing.usage)), costUsd: closing.total_cost_usd };
  const total = byModel.length > 0 ? (sumOfUsage(parts) ?? {}) : trace.usage(whole);
  if (isLess(total, ofMessages)) trace.gap(ofUsage, 'its messages used more tokens than it reports at its end');
  return total;
}

function ofModel(usage: JsonObject): ReportedUsage & { costUsd: unknown } {
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens, thinkingTokens } = usage;
  return {
    inputTokens: addUp(inputTokens, cacheReadInputTokens, cacheCreationInputTokens),
    cachedInputTokens: cacheReadInputTokens,
    cacheWriteInputTokens: cacheCreationInputTokens,
    outputTokens,
    reasoningTokens: thinkingTokens,
    costUsd: usage.costUSD,
  };
}

/** Sub-agents whose messages are not printed are in the total, so it may be more. */
function isLess(total: Usage, part: Usage): boolean {
  const { inputTokens = 0, outputTokens = 0 } = total;
  return inputTokens < (part.inputTokens ?? 0) || outputTokens < (part.outputTokens ?? 0);
}

/** Counts tokens by message, for an agent that ends before it reports their sum. */
export class MessageTally {
  readonly #usageOf: MessagesDialect['usageOf'];
  readonly #byMessage = new Map<string, Usage>();
  /** Of a message whose tokens cannot be read. */
  problem: string | undefined;

  constructor(usageOf: MessagesDialect['usageOf']) {
    this.#usageOf = usageOf;
  }

  /** The parts of one message repeat its usage, of which the last is the most complete. */
  note(messageId: string, written: unknown): void {
    if (written !== undefined && written !== null && !isRecord(written)) this.problem ??= JSON.stringify(written);
    const { usage, problem } = readUsage(this.#usageOf(objectOf(written)));
    this.problem ??= problem;
    if (!usage) return;
    const before = this.#byMessage.get(messageId)?.outputTokens ?? 0;
    if ((usage.outputTokens ?? 0) >= before) this.#byMessage.set(messageId, usage);
  }

  sum(): Usage {
    return sumOfUsage([...this.#byMessage.values()]) ?? {};
  }
}

/** The result of a shell command as the stream reports it. */
interface ShellResult {
  readonly text: string;
  readonly isError: boolean;
  /** Details that the agent reports beside the content. */
  readonly details: JsonObject;
}

/** Where the agents differ that print their work as messages in the manner of Anthropic's API. */
export interface MessagesDialect {
  readonly shellTool: string;
  /** Whether the lines are those of a stored session, which has no closing line: each message has its own usage. */
  readonly isStored?: true;
  readonly actions: AgentActions;
  /** Null when the stream does not report it. */
  exitCodeOf(result: ShellResult): number | null;
  /** The tokens of a `usage` object; input includes what was read from a cache or written to one. */
  usageOf(usage: JsonObject): ReportedUsage;
  /** Whether an assistant message is in truth the agent's own report that its provider has failed. */
  isProviderError(line: JsonObject, text: string): boolean;
}
