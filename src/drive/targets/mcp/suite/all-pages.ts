import type { Reply, TestTalk } from './test-talk.ts';

/** A server that never ends its list is not listened to for ever. */
const mostPages = 1_000;

/** Asks for a list page by page; what each page holds is on record. The last answer tells whether all went well. */
export async function allPages(talk: TestTalk, method: string): Promise<Reply> {
  let cursor: unknown;
  for (let page = 1; ; page++) {
    const reply = await talk.request(method, cursor === undefined ? {} : { cursor });
    const next = reply.result?.nextCursor;
    if (reply.error || typeof next !== 'string' || next === cursor || page >= mostPages) return reply;
    cursor = next;
  }
}
