import { isRecord } from '../../../../shared/json.ts';
import { internalError } from '../../../../shared/json-rpc.ts';
import type { Message } from '../stage.ts';

interface Round {
  readonly agentId: unknown;
  readonly requestState: unknown;
  readonly responses: Record<string, unknown>;
  readonly onGiven: (given: Message) => void;
  left: number;
}

interface InputRequest {
  readonly round: Round;
  readonly key: string;
  readonly method: unknown;
}

/** Gets from an agent, by requests of the older protocol, the input that a server needs before it can answer. */
export class AgentInput {
  readonly #toAgent: (message: Message) => void;
  readonly #waiting = new Map<unknown, InputRequest>();
  #ids = 0;

  constructor(toAgent: (message: Message) => void) {
    this.#toAgent = toAgent;
  }

  /** Calls `onGiven` with the parameters to send again when the agent has given everything. */
  request(agentId: unknown, { inputRequests, requestState }: Message, onGiven: (given: Message) => void): void {
    const requests = Object.entries(isRecord(inputRequests) ? inputRequests : {});
    const round: Round = { agentId, requestState, responses: {}, onGiven, left: requests.length };
    if (requests.length === 0) this.#finish(round);
    for (const [key, request] of requests) {
      const { method, params } = isRecord(request) ? request : {};
      const id = `assay-input-${++this.#ids}`;
      this.#waiting.set(id, { round, key, method });
      this.#toAgent({ jsonrpc: '2.0', id, method, params });
    }
  }

  answered({ id, result, error }: Message): void {
    const request = this.#waiting.get(id);
    if (!request) return;
    this.#waiting.delete(id);
    const { round, key, method } = request;
    const isRefused = result === undefined;
    if (isRefused && method !== 'elicitation/create') {
      this.#fail(round, error);
      return;
    }
    round.responses[key] = isRefused ? { action: 'cancel' } : result;
    round.left--;
    if (round.left === 0) this.#finish(round);
  }

  /** The agent no longer waits for the request that needs input. */
  cancel(agentId: unknown): void {
    for (const [id, { round }] of this.#waiting) if (round.agentId === agentId) this.#waiting.delete(id);
  }

  #finish({ requestState, responses, onGiven }: Round): void {
    const state = requestState === undefined ? {} : { requestState };
    onGiven(Object.keys(responses).length > 0 ? { inputResponses: responses, ...state } : state);
  }

  /** An error cannot be given as input, so the request that needs it ends. */
  #fail({ agentId }: Round, error: unknown): void {
    this.cancel(agentId);
    const why = isRecord(error) ? String(error.message) : 'no result';
    const message = `The agent did not give the input that the server needs: ${why}`;
    this.#toAgent({ jsonrpc: '2.0', id: agentId, error: { code: internalError, message } });
  }
}
