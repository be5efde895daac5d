import type { ModelApi } from '../../../domain/trace-schema.ts';
import { sha256 } from '../../../shared/ids.ts';
import { canonicalJson } from '../../../shared/json.ts';
import { digested } from './digests.ts';
import { callsOneOf, offeredTools, type ToolDifference, toolDifference, withoutTools } from './offered-tools.ts';
import type { ComparedRequest, TapedCall, TapedReply } from './tape.ts';

/** Replies by request, in the order in which they came. */
export class RecordedReplies {
  readonly #replies = new Map<string, TapedReply[]>();
  readonly #given = new Map<string, number>();

  add(key: string, reply: TapedReply): void {
    this.#replies.set(key, [...(this.#replies.get(key) ?? []), reply]);
  }

  /** The next reply to a request that was sent several times; the last one is given again. */
  next(key: string): TapedReply | undefined {
    const replies = this.#replies.get(key);
    const given = this.#given.get(key) ?? 0;
    this.#given.set(key, given + 1);
    return replies?.[Math.min(given, replies.length - 1)];
  }

  /** How many were never given. */
  get left(): number {
    return [...this.#replies].reduce(
      (sum, [key, replies]) => sum + Math.max(0, replies.length - (this.#given.get(key) ?? 0)),
      0,
    );
  }
}

/** A recorded reply to a request that offers other tools. */
interface NearReply {
  readonly reply: TapedReply;
  readonly call: TapedCall;
  readonly difference: ToolDifference;
}

/** Model calls of a recording, found by their requests. */
export class RecordedCalls {
  readonly calls: readonly TapedCall[];
  readonly #replies = new RecordedReplies();
  /** Definitions of all tools that were offered in any call. */
  readonly #tools: ReadonlySet<string>;

  constructor(calls: readonly TapedCall[]) {
    this.calls = calls.map((call) => ({ ...call, request: digested(call.request) }));
    for (const { api, request, reply } of this.calls) this.#replies.add(keyOf(api, request), reply);
    this.#tools = new Set(this.calls.flatMap(({ request }) => offeredTools(request).map(({ text }) => text)));
  }

  get left(): number {
    return this.#replies.left;
  }

  /** `request`: with digests. */
  find(api: ModelApi, request: ComparedRequest): TapedReply | undefined {
    return this.#replies.next(keyOf(api, request));
  }

  /**
   * MCP servers connect while their agent already works, so the call from which on their tools are offered is chance.
   * The reply to the same conversation is given if each tool was recorded, and the reply calls none that is missing.
   */
  findWithOtherTools(api: ModelApi, request: ComparedRequest): NearReply | undefined {
    const others = withoutTools(request);
    for (const call of this.calls) {
      if (call.api !== api || withoutTools(call.request) !== others) continue;
      const difference = toolDifference(call.request, request);
      const isKnown = difference.added.every(({ text }) => this.#tools.has(text));
      if (!isKnown || callsOneOf([call.reply.pieces, call.reply.body], difference.missing)) continue;
      const reply = this.#replies.next(keyOf(api, call.request));
      if (reply) return { reply, call, difference };
    }
    return undefined;
  }
}

function keyOf(api: ModelApi, request: ComparedRequest): string {
  return sha256(`${api}\n${canonicalJson(request)}`);
}
