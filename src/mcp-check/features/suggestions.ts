import { isRecord } from '../../shared/json.ts';
import type { RequestEnd, ServerUnderCheck } from '../session/server-under-check.ts';

type Reference =
  | { readonly type: 'ref/prompt'; readonly name: string }
  | { readonly type: 'ref/resource'; readonly uri: string };

/** Values that the server suggests for arguments of prompts and templates, each requested once. */
export class Suggestions {
  readonly #server: ServerUnderCheck;
  readonly #ends = new Map<string, Promise<RequestEnd>>();

  constructor(server: ServerUnderCheck) {
    this.#server = server;
  }

  get isOffered(): boolean {
    return isRecord(this.#server.facts.capabilities.completions);
  }

  request(ref: Reference, argument: string): Promise<RequestEnd> {
    const key = JSON.stringify([ref, argument]);
    const before = this.#ends.get(key);
    if (before) return before;
    const end = this.#server.request('completion/complete', { ref, argument: { name: argument, value: '' } });
    this.#ends.set(key, end);
    return end;
  }

  /** The first suggestion; undefined where the server gives none. */
  async first(ref: Reference, argument: string): Promise<string | undefined> {
    if (!this.isOffered) return undefined;
    const end = await this.request(ref, argument);
    if (end.kind !== 'answer' || end.answer.kind !== 'result') return undefined;
    const [value] = completionValues(end.answer.result) ?? [];
    return typeof value === 'string' && value !== '' ? value : undefined;
  }
}

/** The list of suggestions; undefined where there is none. */
export function completionValues({ completion }: Readonly<Record<string, unknown>>): readonly unknown[] | undefined {
  return isRecord(completion) && Array.isArray(completion.values) ? completion.values : undefined;
}
