import type { ModelApi } from '../../../domain/trace-schema.ts';
import { canonicalJson } from '../../../shared/json.ts';
import type { ComparedRequest } from '../../tape/nearest.ts';
import { type ComparedCall, Player } from '../../tape/player.ts';
import { digested } from './digests.ts';
import { callsOneOf, offeredTools, type ToolDifference, toolDifference, withoutTools } from './offered-tools.ts';
import type { TapedCall, TapedReply } from './tape.ts';

/** A recorded reply to a request that offers other tools. */
interface NearReply {
  readonly reply: TapedReply;
  readonly call: TapedCall;
  readonly difference: ToolDifference;
}

/** Model calls of a recording, found by their requests. */
export class RecordedCalls {
  readonly #calls: readonly TapedCall[];
  readonly #player: Player<TapedCall>;
  /** Definitions of all tools that were offered in any call. */
  readonly #tools: ReadonlySet<string>;

  constructor(calls: readonly TapedCall[]) {
    this.#calls = calls.map((call) => ({ ...call, request: digested(call.request) }));
    const taped = this.#calls.map((call) => ({ ...comparedOf(call.api, call.request), entry: call, isReading: true }));
    this.#player = new Player(taped, 'request');
    this.#tools = new Set(this.#calls.flatMap(({ request }) => offeredTools(request).map(({ text }) => text)));
  }

  get left(): number {
    return this.#player.left;
  }

  /** `request`: with digests. */
  find(api: ModelApi, request: ComparedRequest): TapedReply | undefined {
    const found = this.#player.find(comparedOf(api, request));
    return found.kind === 'found' ? found.entry.reply : undefined;
  }

  /**
   * MCP servers connect while their agent already works, so the call from which on their tools are offered is chance.
   * The reply to the same conversation is given if each tool was recorded, and the reply calls none that is missing.
   */
  findWithOtherTools(api: ModelApi, request: ComparedRequest): NearReply | undefined {
    const others = withoutTools(request);
    for (const call of this.#calls) {
      if (call.api !== api || withoutTools(call.request) !== others) continue;
      const difference = toolDifference(call.request, request);
      const isRecorded = difference.added.every(({ text }) => this.#tools.has(text));
      if (!isRecorded || callsOneOf([call.reply.pieces, call.reply.body], difference.missing)) continue;
      const reply = this.find(api, call.request);
      if (reply) return { reply, call, difference };
    }
    return undefined;
  }
}

function comparedOf(api: ModelApi, request: ComparedRequest): ComparedCall {
  const exact = canonicalJson([api, request]);
  return { tool: api, exact, normalised: exact };
}
