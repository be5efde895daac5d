import type { IncomingMessage, ServerResponse } from 'node:http';
import { isRecord } from '../../../shared/json.ts';
import { shorten } from '../../../shared/text.ts';
import type { JsonObject } from '../../wire/codec.ts';
import { type Answer, pause, send, sendAnswer, sendJson } from './answer.ts';
import type { ScriptedBatches } from './batches.ts';
import { type Conversation, estimatedTokens, type ScriptedReply } from './conversation.ts';
import { type Dialect, type Exchange, RefusedRequest, type RequestLine, type Task } from './dialect.ts';
import { dialects } from './dialects.ts';
import { bodyOfStatus, faults, sendStatus } from './faults.ts';
import { type LoggedRequest, RequestLog } from './request-log.ts';
import { type ChosenRule, RuleBook } from './rule-book.ts';
import type { Script } from './script.ts';
import { replyOf } from './scripted-reply.ts';

const mostBytes = 20 * 1024 * 1024;

/** Reads what a request is about; no URL is too odd, since it need only be compared. */
function requestLineOf({ method = '', url = '', headers }: IncomingMessage): RequestLine {
  const [path = '', query] = url.split('?', 2);
  // Base URLs are often written with a slash too many.
  return { method, pathname: path.replace(/\/+/g, '/'), query: new URLSearchParams(query), headers };
}

/** The keys that a request carries, wherever providers look for them. */
function keysOf({ headers, query }: RequestLine): string[] {
  const bearer = /^Bearer\s+(.+)$/i.exec(headers.authorization ?? '')?.[1];
  const carried = [bearer, headers['x-api-key'], headers['x-goog-api-key'], headers['api-key'], query.get('key')];
  return carried.flatMap((key) => key ?? []);
}

/**
 * All of a request's body. One that is too large is read to its end and thrown away, because a client that is still
 * sending does not see an answer. Rejects when the client goes away.
 */
function readBody(request: IncomingMessage): Promise<Buffer | 'too-large'> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > mostBytes) chunks.length = 0;
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(size > mostBytes ? 'too-large' : Buffer.concat(chunks, size)));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the client closed the connection')));
  });
}

/** A body as JSON object, or the refusal that a provider would give. */
function parseBody(body: Buffer | 'too-large'): JsonObject {
  if (body === 'too-large') throw new RefusedRequest(413, `The request is larger than ${mostBytes} bytes.`);
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw new RefusedRequest(400, 'The body of the request is not JSON.');
  }
  if (isRecord(value)) return value;
  throw new RefusedRequest(400, 'The body of the request must be a JSON object.');
}

type Body = Buffer | 'too-large';

/** A request in a dialect, and where its answer goes. */
interface DialectRequest {
  readonly dialect: Dialect;
  readonly line: RequestLine;
  readonly response: ServerResponse;
}

/** The number is null where no rule answers, and the dialect has its own reply. */
type AnsweringRule = Omit<ChosenRule, 'number'> & { readonly number: number | null };

/** Answers requests as a script says, in the dialect of each request. */
export class ScriptedProvider {
  readonly #script: Script;
  readonly #rules: RuleBook;
  readonly #log = new RequestLog();
  readonly #onRequest: (request: LoggedRequest) => void;
  #replyCount = 0;
  #batches: ScriptedBatches | undefined;

  constructor(script: Script, onRequest: (request: LoggedRequest) => void) {
    this.#script = script;
    this.#rules = new RuleBook(script);
    this.#onRequest = onRequest;
  }

  log(): readonly LoggedRequest[] {
    return this.#log.all();
  }

  reset(): void {
    this.#log.reset();
    this.#rules.reset();
  }

  /** Answers one request; resolves when nothing more will be sent. Rejects when the client breaks off its request. */
  async handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const line = requestLineOf(incoming);
    const body = await readBody(incoming);
    if (await this.#handleBatch(line, body, response)) return;
    const found = findTask(line);
    if (!found) {
      this.#control(line, response);
      return;
    }
    const request = { ...found, line, response };
    try {
      await this.#perform(request, body);
    } catch (error) {
      const { status, message } = asRefusal(error);
      this.#logRequest(request.dialect.name, request.line, { refusal: message });
      sendJson(response, status, request.dialect.renderError(status, message));
    }
  }

  /** False for a request that is not about a batch. */
  async #handleBatch(line: RequestLine, body: Body, response: ServerResponse): Promise<boolean> {
    if (!/\/(?:batches|files)(?:\/|$)/.test(line.pathname)) return false;
    this.#batches ??= new (await import('./batches.ts')).ScriptedBatches(this.#script.batchLooks, (path, request) =>
      this.#answerBatched(line, path, request),
    );
    try {
      this.#refuseOtherKeys(line);
      return this.#batches.handle(line, body === 'too-large' ? Buffer.of() : body, response);
    } catch (error) {
      const { status, message } = asRefusal(error);
      this.#logRequest('batches', line, { refusal: message });
      sendJson(response, status, { error: { message } });
      return true;
    }
  }

  /** One request of a batch; undefined where its rule has a fault that no answer survives. */
  #answerBatched(line: RequestLine, path: string, body: JsonObject) {
    const found = findTask({ ...line, method: 'POST', pathname: path });
    if (found?.task.kind !== 'converse') throw new RefusedRequest(400, `There is no ${path} for batches.`);
    const { dialect, task } = found;
    const exchange = task.open(body, (replyId) => this.#log.messagesUpTo(replyId));
    const chosen = this.#rules.choose(exchange.conversation);
    if (!chosen) return { status: 500, body: dialect.renderError(500, unforeseenText(exchange.conversation)) };
    const reply = this.#replyOf({ dialect, line }, exchange, chosen);
    const { fault } = chosen.rule;
    if (fault === undefined) return { status: 200, body: exchange.whole(reply) };
    return typeof fault === 'string' ? undefined : { status: fault.status, body: bodyOfStatus(fault, dialect) };
  }

  #control(line: RequestLine, response: ServerResponse): void {
    const { method, pathname } = line;
    if (method === 'GET' && pathname === '/__log')
      sendJson(response, 200, { total: this.#log.total, requests: this.#log.all() });
    else if (method === 'POST' && pathname === '/__reset') {
      this.reset();
      sendJson(response, 200, {});
    } else if (pathname === '/')
      send(response, 200, 'text/plain', 'A scripted model. GET /__log lists the requests.\n');
    else {
      const message = `There is no ${method} ${pathname} here.`;
      this.#logRequest(pathname, line, { refusal: message });
      sendJson(response, 404, { error: { message, type: 'not_found_error', code: 404 } });
    }
  }

  async #perform({ task, ...request }: DialectRequest & { task: Task }, body: Body): Promise<void> {
    const { response } = request;
    this.#refuseOtherKeys(request.line);
    if (task.kind === 'list-models') sendJson(response, 200, task.render(this.#script.model ?? 'scripted'));
    else if (task.kind === 'count-tokens') {
      const { characters } = task.read(parseBody(body));
      sendJson(response, 200, task.render(estimatedTokens(characters)));
    } else {
      const exchange = task.open(parseBody(body), (replyId) => this.#log.messagesUpTo(replyId));
      const chosen = this.#rules.choose(exchange.conversation);
      const { usualReply: reply } = exchange;
      if (chosen) await this.#answer(request, exchange, chosen);
      else if (reply !== undefined)
        await this.#answer(request, exchange, { rule: { when: {}, reply, toolCalls: [] }, number: null, match: [] });
      else this.#answerUnforeseen(request, exchange);
    }
  }

  #refuseOtherKeys(line: RequestLine): void {
    const { apiKey } = this.#script;
    if (apiKey !== undefined && !keysOf(line).includes(apiKey))
      throw new RefusedRequest(401, 'The API key is not the one that the script requires.');
  }

  async #answer(request: DialectRequest, exchange: Exchange, { rule, number, match }: AnsweringRule): Promise<void> {
    const { response } = request;
    const reply = this.#replyOf(request, exchange, { rule, number, match });
    await pause(rule.delayMs ?? this.#script.delayMs, response);
    if (response.closed) return;
    if (typeof rule.fault === 'object') sendStatus(rule.fault, request.dialect, response);
    else {
      const answer = answerOf(exchange, reply, rule.dripMs ?? 0);
      const hasContent = rule.reply !== undefined || rule.toolCalls.length > 0;
      await (rule.fault === undefined
        ? sendAnswer(answer, response)
        : faults[rule.fault]({ ...answer, hasContent }, response));
    }
  }

  /** The reply of a rule, which the log keeps. */
  #replyOf(
    { dialect, line }: Pick<DialectRequest, 'dialect' | 'line'>,
    { conversation }: Exchange,
    { rule, number, match }: AnsweringRule,
  ): ScriptedReply {
    const id = String(++this.#replyCount).padStart(6, '0');
    const reply = replyOf({ rule, match, conversation, id, model: this.#script.model ?? conversation.model });
    this.#logRequest(dialect.name, line, { conversation, rule: number, reply, fault: rule.fault ?? null });
    return reply;
  }

  #answerUnforeseen(request: DialectRequest, { conversation }: Exchange): void {
    const refusal = unforeseenText(conversation);
    this.#logRequest(request.dialect.name, request.line, { conversation, refusal });
    // Clients that honour this header need not find out by trying again.
    sendJson(request.response, 500, request.dialect.renderError(500, refusal), { 'x-should-retry': 'false' });
  }

  #logRequest(path: string, line: RequestLine, facts: Partial<LoggedRequest>): void {
    const unknown = { conversation: null, rule: null, reply: null, fault: null, refusal: null };
    const hasKey = keysOf(line).length > 0;
    this.#onRequest(this.#log.add({ path, hasKey, ...unknown, ...facts }));
  }
}

function findTask(line: RequestLine): { dialect: Dialect; task: Task } | undefined {
  for (const dialect of dialects) {
    const task = dialect.taskOf(line);
    if (task) return { dialect, task };
  }
  return undefined;
}

/** Data that is nested too deeply to be walked is refused like any other that cannot be read. */
function asRefusal(error: unknown): RefusedRequest {
  if (error instanceof RefusedRequest) return error;
  if (error instanceof RangeError) return new RefusedRequest(400, 'The request is nested too deeply.');
  throw error;
}

function answerOf({ conversation, streamType, frames, whole }: Exchange, reply: ScriptedReply, dripMs: number): Answer {
  if (conversation.isStreaming)
    return { contentType: streamType, isStreamed: true, frames: [...frames(reply)], dripMs };
  return { contentType: 'application/json', isStreamed: false, frames: [JSON.stringify(whole(reply))], dripMs };
}

const longestQuote = 200;

function unforeseenText({ path, model, turn, last }: Conversation): string {
  return `No rule of the script answers this (${path}, model ${model}, turn ${turn}): ${JSON.stringify(shorten(last, longestQuote))}`;
}
