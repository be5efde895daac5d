import { sha256 } from '../../../shared/ids.ts';
import { isRecord, parseJson } from '../../../shared/json.ts';
import { plainHeaders, ReceivedResponse } from '../http-fetch.ts';
import type { BatchFolder } from './batch-folder.ts';

/** The reply to a request comes with a batch that is not done, or not even sent. */
class ReplyPending extends Error {
  constructor() {
    super('the reply comes with a batch');
    this.name = 'ReplyPending';
  }
}

/** A request that is to be sent with a batch. */
export interface PendingRequest {
  /** The same for the same request, in every process. */
  readonly key: string;
  readonly provider: string;
  /** `/v1/chat/completions`. */
  readonly path: string;
  readonly model: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Answers requests from the replies of batches, and collects those that have none yet. */
export class BatchedCalls {
  readonly folder: BatchFolder;
  readonly #pending = new Map<string, PendingRequest>();

  constructor(folder: BatchFolder) {
    this.folder = folder;
  }

  /** Collected since the last call. */
  takePending(): PendingRequest[] {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    return pending;
  }

  /** `fetch` as the SDK of a provider calls it; nothing is sent. */
  fetchOf(provider: string): typeof globalThis.fetch {
    return async (input, init) => {
      const { pathname } = new URL(input instanceof Request ? input.url : String(input));
      const path = pathname.slice(Math.max(0, pathname.lastIndexOf('/v1/')));
      const body = typeof init?.body === 'string' ? init.body : '';
      const key = sha256(JSON.stringify([provider, path, body]));
      const reply = await this.folder.readReply(key);
      if (reply) return new ReceivedResponse(reply.status, {}, reply.body) as unknown as Response;
      const { model } = asRecord(parseJson(body));
      const headers = plainHeaders(init?.headers);
      this.#pending.set(key, { key, provider, path, model: String(model), body, headers });
      throw new ReplyPending();
    };
  }
}

function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
