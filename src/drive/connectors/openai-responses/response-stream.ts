import { isRecord } from '../../../shared/json.ts';
import type { DocumentReader } from '../wire/open-provider-connector.ts';
import { parseJson } from '../wire/parse-json.ts';
import { errorTextIn } from '../wire/require-success.ts';

/** Follows the events of a response; the last of them holds all of it. */
export class ResponseStream implements DocumentReader {
  problem: string | undefined;
  #response: unknown;

  add(data: string): boolean {
    if (data.trim() === '[DONE]') return false;
    const event = parseJson(data);
    if (event === undefined) this.problem ??= 'an event is not JSON';
    if (!isRecord(event)) return false;
    const { type } = event;
    if (type === 'response.completed' || type === 'response.incomplete') this.#response = event.response;
    else if (type === 'response.failed') this.problem ??= errorTextIn(event.response) ?? 'it says no more';
    else if (type === 'error') this.problem ??= errorTextIn(event) ?? 'it sent an error';
    return type === 'response.output_text.delta' && typeof event.delta === 'string' && event.delta !== '';
  }

  document(): unknown {
    return this.#response;
  }
}
