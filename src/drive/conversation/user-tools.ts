import type { UnstampedEvent } from '../../domain/trace.ts';
import type { ConversationTools } from '../connectors/tool-loop/toolbox.ts';
import type { ModelTool, ModelToolCall } from '../models/model.ts';
import type { RememberedCall } from './persona-prompt.ts';

/** The tools of the simulated user of one conversation, and the calls that it made so far. */
export class UserTools {
  readonly #tools: ConversationTools;
  readonly #calls: RememberedCall[] = [];
  /** Most prompts for one message. */
  readonly maxRounds: number;

  constructor(tools: ConversationTools, maxRounds: number) {
    this.#tools = tools;
    this.maxRounds = maxRounds;
  }

  get calls(): readonly RememberedCall[] {
    return this.#calls;
  }

  /** As they are offered to a model: a recording of a call holds nothing of how they are run. */
  get offered(): ModelTool[] {
    return this.#tools.tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  }

  /** One after the other, in the order of the calls: repeats of a trial do the same. */
  async run(calls: readonly ModelToolCall[], after: number, signal: AbortSignal): Promise<UnstampedEvent[]> {
    const events: UnstampedEvent[] = [];
    for (const { tool, input } of calls) {
      const { durationMs, answeredBy: _by, ...answer } = await this.#tools.run(tool, input, signal);
      this.#calls.push({ after, tool, input, answer });
      const { kind = 'other', server } = this.#tools.find(tool) ?? {};
      events.push({
        ...{ type: 'user-call', tool, kind, input, durationMs },
        ...(server !== undefined && { server }),
        ...('error' in answer ? { error: answer.error } : { result: answer.result }),
      });
    }
    return events;
  }

  /** Rejects where the tools are no longer those that were offered. */
  assertUnchanged(signal: AbortSignal): Promise<void> {
    return this.#tools.assertUnchanged(signal);
  }
}
