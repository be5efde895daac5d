import type { RunStreamEvent } from '../../../entry/server/api/runs.ts';

/** An event of a stream as a client sees it. */
export interface StreamedEvent {
  readonly id: string;
  readonly event: RunStreamEvent;
}

/** The events of a server-sent stream, one after the other. */
export async function* streamEvents(response: Response): AsyncGenerator<StreamedEvent, void> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const found = /^id: (.*)\ndata: (.*)$/.exec(text.slice(0, end));
      text = text.slice(end + 2);
      if (found?.[2] !== undefined) yield { id: found[1] ?? '', event: JSON.parse(found[2]) };
    }
  }
}
