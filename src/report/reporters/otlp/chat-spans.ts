import { withCountedUsage } from '../../../domain/counted-usage.ts';
import type { Trace, TraceEvent, TraceEventOf } from '../../../domain/trace.ts';
import { type AttributeValues, type SpanDraft, shortText, spanKind } from './attributes.ts';

type Message = TraceEventOf<'message'>;
type Usage = TraceEventOf<'usage'>;

interface Part {
  readonly type: 'text' | 'reasoning';
  readonly content: string;
}

interface Answer {
  readonly input: Message[];
  readonly output: Part[];
  readonly startMs: number;
  endMs: number;
  usage?: Usage;
}

const longestMessage = 4_000;
/** Of a prompt of any length the last messages, and of long thoughts the last parts. */
const mostParts = 20;

/** A `chat` span for each message of the assistant, with the messages to it since the one before, and its tokens. */
export function chatSpans(trace: Trace, model: string | undefined): SpanDraft[] {
  const answers = new Answers();
  for (const event of withCountedUsage(trace)) answers.add(event);
  return answers.all.map((answer) => draftOf(answer, model));
}

class Answers {
  readonly all: Answer[] = [];
  #isOpen = false;

  add(event: TraceEvent): void {
    if (event.type === 'message' && event.role !== 'assistant') {
      // A message after the model has thought or spoken belongs to its next answer.
      if (this.#last?.output.length !== 0) this.#isOpen = false;
      this.#opened(event.at).input.push(event);
    } else if (event.type === 'message' || event.type === 'reasoning') {
      const type = event.type === 'message' ? 'text' : 'reasoning';
      this.#opened(event.at).output.push({ type, content: event.text });
      if (type === 'text') this.#isOpen = false;
    } else if (event.type === 'usage') {
      this.#addUsage(event);
    } else if (event.type === 'tool-call') {
      this.#isOpen = false;
    }
  }

  get #last(): Answer | undefined {
    return this.all.at(-1);
  }

  /** Tokens belong to the last message; those of a bare tool call get their own answer. */
  #addUsage(usage: Usage): void {
    const hasPlace = this.#last !== undefined && this.#last.usage === undefined;
    if (!hasPlace) this.#isOpen = false;
    const answer = hasPlace && this.#last ? this.#last : this.#opened(usage.at);
    answer.usage = usage;
    answer.endMs = Math.max(answer.endMs, answer.output.length > 0 ? answer.endMs : usage.at);
    this.#isOpen = false;
  }

  #opened(at: number): Answer {
    if (!this.#isOpen || !this.#last) this.all.push({ input: [], output: [], startMs: at, endMs: at });
    this.#isOpen = true;
    const answer = this.all.at(-1) as Answer;
    answer.endMs = Math.max(answer.endMs, at);
    return answer;
  }
}

function draftOf({ input, output, startMs, endMs, usage }: Answer, requestedModel: string | undefined): SpanDraft {
  const model = usage?.model ?? requestedModel;
  return {
    name: model === undefined ? 'chat' : `chat ${model}`,
    kind: spanKind.client,
    startMs,
    endMs,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': providerOf(model),
      'gen_ai.request.model': requestedModel ?? model,
      'gen_ai.response.model': usage?.model,
      'gen_ai.usage.input_tokens': usage?.inputTokens,
      'gen_ai.usage.output_tokens': usage?.outputTokens,
      'gen_ai.usage.cache_read.input_tokens': usage?.cachedInputTokens,
      'gen_ai.usage.reasoning.output_tokens': usage?.reasoningTokens,
      'assay.cost_usd': usage?.costUsd === undefined ? undefined : { double: usage.costUsd },
      ...contentOf(input, output),
    },
  };
}

function contentOf(input: readonly Message[], output: readonly Part[]): AttributeValues {
  const messages = input.slice(-mostParts).map(({ role, text }) => ({ role, parts: [shortPart('text', text)] }));
  const parts = output.slice(-mostParts).map(({ type, content }) => shortPart(type, content));
  const answered = [{ role: 'assistant', parts, finish_reason: 'stop' }];
  return {
    ...(messages.length > 0 && { 'gen_ai.input.messages': { json: JSON.stringify(messages) } }),
    ...(parts.length > 0 && { 'gen_ai.output.messages': { json: JSON.stringify(answered) } }),
  };
}

function shortPart(type: Part['type'], content: string): Part {
  return { type, content: shortText(content, longestMessage) };
}

const providers: Readonly<Record<string, string>> = {
  google: 'gcp.gemini',
  gemini: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  bedrock: 'aws.bedrock',
  azure: 'azure.ai.openai',
  mistral: 'mistral_ai',
  xai: 'x_ai',
  moonshot: 'moonshot_ai',
};

/** `openai/gpt-5` says who has the model; other names do not. */
export function providerOf(model: string | undefined): string | undefined {
  const name = /^([a-z][\w.-]*)\//i.exec(model ?? '')?.[1]?.toLowerCase();
  return name === undefined ? undefined : Object.hasOwn(providers, name) ? providers[name] : name;
}
