import { isRecord } from '../../../../shared/json.ts';
import { internalError } from '../../../../shared/json-rpc.ts';
import type { BridgeEnds, Message } from '../stage.ts';

interface OpenCall {
  /** Undefined while the agent is to send it again. */
  agentId: unknown;
  readonly method: unknown;
  readonly mayPause: boolean;
  /** Requests of the server that the agent has not answered yet, the oldest first. */
  readonly needed: Message[];
  /** The answer of a server that did not wait for its input. */
  answer?: Message;
}

const inputKey = 'input';

/** Requests at a server of the older era; its own requests to the agent pause the newest of them. */
export class OpenCalls {
  readonly #ends: BridgeEnds;
  readonly #complete: (agentId: unknown, method: unknown, result: Message) => void;
  readonly #byServerId = new Map<unknown, OpenCall>();

  constructor(ends: BridgeEnds, complete: (agentId: unknown, method: unknown, result: Message) => void) {
    this.#ends = ends;
    this.#complete = complete;
  }

  open(serverId: string, call: Pick<OpenCall, 'agentId' | 'method' | 'mayPause'>): void {
    this.#byServerId.set(serverId, { ...call, needed: [] });
  }

  answered(answer: Message): void {
    const call = this.#byServerId.get(answer.id);
    if (!call) return;
    if (call.agentId === undefined) {
      call.answer = answer;
      return;
    }
    this.#byServerId.delete(answer.id);
    this.#deliver(call, answer);
  }

  needInput(request: Message): void {
    const [serverId, call] = [...this.#byServerId].findLast(([, { mayPause }]) => mayPause) ?? [];
    if (!call) {
      const error = { code: internalError, message: 'No request of the agent is open that could wait for input' };
      this.#ends.toServer({ jsonrpc: '2.0', id: request.id, error });
      return;
    }
    call.needed.push(request);
    if (call.agentId !== undefined) this.#pause(serverId, call);
  }

  /** True where the request continues one that waited for input. */
  resume(agentId: unknown, { requestState, inputResponses }: Message): boolean {
    const call = this.#byServerId.get(requestState);
    if (!call || call.agentId !== undefined) return false;
    call.agentId = agentId;
    const given = isRecord(inputResponses) ? inputResponses[inputKey] : undefined;
    if (given !== undefined) {
      const request = call.needed.shift();
      this.#ends.toServer({ jsonrpc: '2.0', id: request?.id, result: given });
    }
    if (call.answer) {
      this.#byServerId.delete(requestState);
      this.#deliver(call, call.answer);
    } else if (call.needed.length > 0) this.#pause(requestState, call);
    return true;
  }

  cancel(agentId: unknown): void {
    for (const [requestId, call] of this.#byServerId) {
      if (call.agentId !== agentId) continue;
      this.#byServerId.delete(requestId);
      this.#ends.toServer({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
    }
  }

  /** The id at the server is the state by which the agent continues. */
  #pause(serverId: unknown, call: OpenCall): void {
    const { method, params } = call.needed[0] ?? {};
    const inputRequests = { [inputKey]: params === undefined ? { method } : { method, params } };
    const { agentId } = call;
    call.agentId = undefined;
    this.#complete(agentId, call.method, { resultType: 'input_required', inputRequests, requestState: serverId });
  }

  #deliver({ agentId, method }: OpenCall, { result, error }: Message): void {
    if (isRecord(result)) this.#complete(agentId, method, result);
    else this.#ends.toAgent({ jsonrpc: '2.0', id: agentId, error });
  }
}
