import type { PlacedFault, ToolFault } from '../../../domain/tool-control/faults.ts';
import { sha256 } from '../../../shared/ids.ts';
import { isRecord } from '../../../shared/json.ts';
import { seededRandom } from '../../../shared/seeded-random.ts';
import type { ControlRule, NumberedCall, Ruling } from '../../tool-control/control.ts';
import { failedResult, type McpReply } from './mcp-reply.ts';

type Effect = Pick<Ruling<McpReply>, 'what' | 'reply' | 'alter' | 'delayMs'>;

/** Breaks calls on purpose; the same seed breaks the same calls. */
export class FaultRule implements ControlRule<McpReply> {
  readonly #placed: PlacedFault;
  readonly #seed: string;

  constructor(placed: PlacedFault, seed: string) {
    this.#placed = placed;
    this.#seed = seed;
  }

  decide(call: NumberedCall): Ruling<McpReply> | undefined {
    const { fault, place } = this.#placed;
    return this.#breaks(call) ? { kind: 'fault', rule: place, ...effectOf(fault) } : undefined;
  }

  #breaks({ server, tool, number }: NumberedCall): boolean {
    const { fault, place } = this.#placed;
    if (fault.tool !== undefined && ![fault.tool].flat().includes(tool)) return false;
    if (fault.call !== undefined && fault.call !== number) return false;
    if (fault.firstCalls !== undefined && number > fault.firstCalls) return false;
    if (fault.probability === undefined) return true;
    // Drawn from the call itself: calls that come in another order are broken alike.
    const drawn = sha256(JSON.stringify([this.#seed, place, server, tool, number]));
    return seededRandom(Number.parseInt(drawn.slice(0, 8), 16))() < fault.probability;
  }
}

function effectOf({ fault, message, retryAfterSecs, ms = 0 }: ToolFault): Effect {
  switch (fault) {
    case 'error':
      return { what: 'failed on purpose', reply: failure(message ?? 'Internal error') };
    case 'rate-limit': {
      const when = retryAfterSecs === undefined ? 'later' : `after ${retryAfterSecs} s`;
      return { what: 'was rate-limited on purpose', reply: failure(message ?? `Rate limit exceeded. Retry ${when}.`) };
    }
    case 'latency':
      return { what: `was delayed on purpose by ${ms} ms`, delayMs: ms };
    case 'timeout':
      return { what: 'was not answered on purpose', reply: { kind: 'silent' } };
    case 'dropped': {
      const end = { code: 'MCP_SERVER_DIED', what: 'closed the connection', isInjected: true } as const;
      return { what: 'lost its connection on purpose', reply: { kind: 'unanswered', end } };
    }
    case 'empty':
      return { what: 'lost its content on purpose', alter: emptied };
    case 'truncated':
      return { what: 'lost half of its text on purpose', alter: truncated };
  }
}

function failure(text: string): McpReply {
  return { kind: 'result', result: failedResult(text) };
}

function emptied(reply: McpReply): McpReply {
  if (reply.kind !== 'result') return reply;
  const { structuredContent: _data, ...result } = reply.result;
  return { kind: 'result', result: { ...result, content: [] } };
}

function truncated(reply: McpReply): McpReply {
  if (reply.kind !== 'result' || !Array.isArray(reply.result.content)) return reply;
  const { structuredContent: _data, ...result } = reply.result;
  const content = reply.result.content.map((block: unknown) =>
    isRecord(block) && typeof block.text === 'string'
      ? { ...block, text: block.text.slice(0, Math.floor(block.text.length / 2)) }
      : block,
  );
  return { kind: 'result', result: { ...result, content } };
}
