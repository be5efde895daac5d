import { plainHeaders } from './http-fetch.ts';
import type { CallOptions, CallResult, LanguageModel } from './provider.ts';

type Fetch = typeof globalThis.fetch;

/** Reads an answer that is a plain text; undefined for every other one, which the SDK reads. */
type ReadPlainAnswer = (body: string) => CallResult | undefined;

interface WrittenRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request as the SDK writes it, cut where the texts of its prompt stand. */
interface RequestForm extends Omit<WrittenRequest, 'body'> {
  readonly pieces: readonly string[];
}

/** Forms are kept for so many kinds of requests with one schema; the SDK writes the requests of further ones. */
const mostKinds = 64;

/** Settings that a kind of requests has in common; a request with any other goes to the SDK. */
const plainSettings: ReadonlySet<string> = new Set([
  'prompt',
  'responseFormat',
  'temperature',
  'maxOutputTokens',
  'seed',
  'providerOptions',
  'abortSignal',
]);

const noSchema = {};

/**
 * A model whose requests go out without the SDK where they differ from an earlier one in nothing but their texts: it
 * would build, check and write the same again for each. None of its rules is repeated here: the SDK writes the first
 * request of each kind, and reads every answer that is more than a plain text. `send` must answer with responses that can be
 * read twice, and the headers of a request must not depend on its body or the time.
 */
export function withDirectCalls(
  send: Fetch,
  readPlain: ReadPlainAnswer,
  open: (fetch: Fetch) => LanguageModel,
): LanguageModel {
  return new DirectCalls(send, readPlain, open);
}

class DirectCalls implements LanguageModel {
  readonly #send: Fetch;
  readonly #readPlain: ReadPlainAnswer;
  readonly #sdk: LanguageModel;
  /** By the signal of a call: what the SDK gets in place of an exchange. */
  readonly #standIns = new WeakMap<AbortSignal, Fetch>();
  readonly #forms = new WeakMap<object, Map<string, Promise<RequestForm | undefined>>>();

  constructor(send: Fetch, readPlain: ReadPlainAnswer, open: (fetch: Fetch) => LanguageModel) {
    this.#send = send;
    this.#readPlain = readPlain;
    this.#sdk = open((input, init) => {
      const standIn = init?.signal && this.#standIns.get(init.signal);
      return (standIn ?? send)(input, init);
    });
  }

  async doGenerate(options: CallOptions): Promise<CallResult> {
    const texts = textsOf(options);
    const form = texts && (await this.#formOf(options, texts));
    if (!form) return this.#sdk.doGenerate(options);
    const { url, headers } = form;
    const body = filled(form, texts);
    const answer = this.#send(url, { method: 'POST', headers, body, signal: options.abortSignal ?? null });
    const plain = await answer.then((response) => this.#read(response)).catch(() => undefined);
    // Failures too: the SDK gives them the form in which they are classified.
    return plain ?? this.#askSdk(options, () => answer);
  }

  async #read(response: Response): Promise<CallResult | undefined> {
    return response.ok ? this.#readPlain(await response.text()) : undefined;
  }

  async #askSdk(options: CallOptions, standIn: Fetch): Promise<CallResult> {
    const { signal: abortSignal } = new AbortController();
    this.#standIns.set(abortSignal, standIn);
    return this.#sdk.doGenerate({ ...options, abortSignal });
  }

  #formOf(options: CallOptions, texts: readonly string[]): Promise<RequestForm | undefined> | undefined {
    const { responseFormat, temperature, maxOutputTokens, seed, providerOptions } = options;
    const { schema = noSchema, ...format } = responseFormat?.type === 'json' ? responseFormat : {};
    const ofSchema = this.#forms.get(schema as object) ?? new Map<string, Promise<RequestForm | undefined>>();
    this.#forms.set(schema as object, ofSchema);
    const kind = JSON.stringify([
      texts.length,
      responseFormat?.type,
      format,
      temperature,
      maxOutputTokens,
      seed,
      providerOptions,
    ]);
    const earlier = ofSchema.get(kind);
    if (earlier || ofSchema.size >= mostKinds) return earlier;
    const form = this.#makeForm(options, texts);
    ofSchema.set(kind, form);
    return form;
  }

  /** A form that does not give the very bytes of the SDK for the first request is not used. */
  async #makeForm(options: CallOptions, texts: readonly string[]): Promise<RequestForm | undefined> {
    const marks = texts.map((_, index) => `text ${index + 1} of the prompt`);
    const marked = await this.#write(withTexts(options, marks));
    const form = marked && cutAt(marks, marked);
    const first = form && (await this.#write(options));
    return first && first.url === form.url && first.body === filled(form, texts) ? form : undefined;
  }

  /** The request that the SDK would send; undefined where it refuses to write one. */
  async #write(options: CallOptions): Promise<WrittenRequest | undefined> {
    let written: WrittenRequest | undefined;
    const keep: Fetch = async (input, init) => {
      const headers = plainHeaders(init?.headers);
      if (typeof init?.body === 'string') written = { url: String(input), headers, body: init.body };
      throw new Error('The request is only written.');
    };
    await this.#askSdk(options, keep).catch(() => undefined);
    return written;
  }
}

/** The texts of a prompt that consists of at most a system text and one text of the user. */
function textsOf(options: CallOptions): string[] | undefined {
  for (const setting in options) if (!plainSettings.has(setting)) return undefined;
  const texts: string[] = [];
  for (const { role, content, providerOptions } of options.prompt) {
    if (providerOptions) return undefined;
    if (role === 'system' && texts.length === 0) texts.push(content);
    else if (role === 'user' && content.length === 1 && content[0]?.type === 'text') texts.push(content[0].text);
    else return undefined;
  }
  return options.prompt.at(-1)?.role === 'user' && texts.length <= 2 ? texts : undefined;
}

function withTexts(options: CallOptions, texts: readonly string[]): CallOptions {
  const prompt = options.prompt.map((message, index): CallOptions['prompt'][number] => {
    const text = texts[index] ?? '';
    return message.role === 'system'
      ? { role: 'system', content: text }
      : { role: 'user', content: [{ type: 'text', text }] };
  });
  return { ...options, prompt };
}

/** Undefined unless each mark stands in the body once, in their order. */
function cutAt(marks: readonly string[], { url, headers, body }: WrittenRequest): RequestForm | undefined {
  const pieces: string[] = [];
  let rest = body;
  for (const mark of marks) {
    const [before = '', after, ...more] = rest.split(JSON.stringify(mark));
    if (after === undefined || more.length > 0) return undefined;
    pieces.push(before);
    rest = after;
  }
  return { url, headers, pieces: [...pieces, rest] };
}

function filled({ pieces }: RequestForm, texts: readonly string[]): string {
  let body = pieces[0] ?? '';
  for (let index = 0; index < texts.length; index++) body += JSON.stringify(texts[index]) + (pieces[index + 1] ?? '');
  return body;
}
