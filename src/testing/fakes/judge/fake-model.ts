import type { Model, ModelReply, ModelRequest } from '../../../drive/models/model.ts';

/** A model that gives prepared replies in turn, the last one for ever, and keeps its prompts. */
export interface FakeModel extends Model {
  readonly requests: ModelRequest[];
}

/** Replies are texts, values to be sent as JSON, or errors to reject with. */
export function fakeModel(replies: readonly unknown[], name = 'fake/judge'): FakeModel {
  const requests: ModelRequest[] = [];
  return {
    name,
    requests,
    async generate(request) {
      const reply = replies[Math.min(requests.length, replies.length - 1)];
      requests.push(request);
      if (reply instanceof Error) throw reply;
      return modelReply(typeof reply === 'string' ? reply : JSON.stringify(reply), name);
    },
  };
}

/** A model whose replies end for the given reasons, in turn; the last one for ever. */
export function endingModel(
  endings: readonly { readonly text: string; readonly finishReason: ModelReply['finishReason'] }[],
) {
  const requests: ModelRequest[] = [];
  const name = 'fake/ending';
  return {
    name,
    requests,
    async generate(request: ModelRequest): Promise<ModelReply> {
      const ending = endings[Math.min(requests.length, endings.length - 1)];
      requests.push(request);
      return { ...modelReply(ending?.text ?? '', name), finishReason: ending?.finishReason ?? 'stop' };
    },
  };
}

/** A model that answers each request with what a function makes of it. */
export function answeringModel(answer: (request: ModelRequest) => string, name = 'fake/answering'): Model {
  return { name, generate: async (request) => modelReply(answer(request), name) };
}

function modelReply(text: string, name: string): ModelReply {
  return {
    text,
    toolCalls: [],
    finishReason: 'stop',
    usage: { inputTokens: 100, outputTokens: 10 },
    costUsd: 0.001,
    latencyMs: 1,
    respondedAs: name,
    isReplayed: false,
  };
}
