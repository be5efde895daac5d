import type { TraceEventOf } from '../../../domain/trace.ts';
import { isRecord } from '../../../shared/json.ts';

type Message = Readonly<Record<string, unknown>>;

/** The input that the agent gave a server, as an exchange that the server began. */
type GivenInput = Pick<TraceEventOf<'mcp-exchange'>, 'type' | 'direction' | 'method' | 'params' | 'result'>;

interface Pausable {
  readonly method: string;
  readonly params: unknown;
}

interface Paused<Request> {
  readonly request: Request;
  readonly atMs: number;
  readonly inputRequests: Message;
  readonly requestState: unknown;
}

/** A request that goes on. */
interface Resumed<Request> {
  readonly request: Request;
  /** When the server began to wait. */
  readonly atMs: number;
  readonly inputs: readonly GivenInput[];
}

/** Requests that the server answered with a need for input; the agent sends them again with it, as new messages. */
export class PausedRequests<Request extends Pausable> {
  readonly #paused: Paused<Request>[] = [];

  /** The requests that the agent did not send again. */
  get left(): readonly Request[] {
    return this.#paused.map(({ request }) => request);
  }

  pause(request: Request, { inputRequests, requestState }: Message, atMs: number): void {
    this.#paused.push({ request, atMs, inputRequests: isRecord(inputRequests) ? inputRequests : {}, requestState });
  }

  /** The request that this message continues; undefined where it begins one. */
  resume(method: string, params: unknown): Resumed<Request> | undefined {
    if (!isRecord(params) || (params.inputResponses === undefined && params.requestState === undefined))
      return undefined;
    const task = taskOf(params);
    const index = this.#paused.findIndex(
      ({ request, requestState }) =>
        request.method === method && requestState === params.requestState && taskOf(request.params) === task,
    );
    const [paused] = index === -1 ? [] : this.#paused.splice(index, 1);
    if (!paused) return undefined;
    const given = isRecord(params.inputResponses) ? params.inputResponses : {};
    const inputs = Object.entries(paused.inputRequests).flatMap(([key, input]): GivenInput[] => {
      if (!isRecord(input) || !(key in given)) return [];
      const { method: needed, params: details } = input;
      return [
        { type: 'mcp-exchange', direction: 'from-server', method: String(needed), params: details, result: given[key] },
      ];
    });
    return { request: paused.request, atMs: paused.atMs, inputs };
  }
}

/** The part of the parameters that stays the same in every round. */
function taskOf(params: unknown): string {
  const { name, uri, arguments: args } = isRecord(params) ? params : {};
  return JSON.stringify([name, uri, args]);
}
