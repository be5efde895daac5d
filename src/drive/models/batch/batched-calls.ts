import { sha256 } from '../../../shared/ids.ts';
import { parseJson } from '../../../shared/json.ts';
import { recordIn } from '../../wire/values.ts';
import type { Send } from '../send-request.ts';
import type { BatchFolder } from './batch-folder.ts';

/** The reply to a request comes with a batch that is not done, or not even sent. */
export class ReplyPending extends Error {
  constructor() {
    super('the reply comes with a batch');
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

  /** Sends nothing. */
  sendOf(provider: string): Send {
    return async ({ url: { pathname }, headers, body }) => {
      const path = pathname.slice(Math.max(0, pathname.lastIndexOf('/v1/')));
      const key = sha256(JSON.stringify([provider, path, body]));
      const reply = await this.folder.readReply(key);
      if (reply) return { ...reply, headers: {} };
      const { model } = recordIn(parseJson(body));
      this.#pending.set(key, { key, provider, path, model: String(model), body, headers });
      throw new ReplyPending();
    };
  }
}
