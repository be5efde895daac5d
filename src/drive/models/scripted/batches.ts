import type { ServerResponse } from 'node:http';
import { isRecord, parseJson } from '../../../shared/json.ts';
import type { JsonObject } from '../../wire/codec.ts';
import { send, sendJson } from './answer.ts';
import { RefusedRequest, type RequestLine } from './dialect.ts';

/** The answer to one request of a batch; undefined for one that is never answered. */
type AnswerOne = (path: string, body: JsonObject) => { readonly status: number; readonly body: unknown } | undefined;

interface BatchedAnswer {
  readonly customId: string;
  readonly answer: ReturnType<AnswerOne>;
}

interface Batch {
  readonly id: string;
  readonly createdAt: Date;
  readonly answers: readonly BatchedAnswer[];
  readonly metadata: unknown;
  looks: number;
}

/** The batch APIs of OpenAI and Anthropic; requests are answered when their batch is made. */
export class ScriptedBatches {
  /** How many looks find a batch in progress. */
  readonly #busyLooks: number;
  readonly #answerOne: AnswerOne;
  readonly #files = new Map<string, string>();
  readonly #batches = new Map<string, Batch>();

  constructor(busyLooks: number, answerOne: AnswerOne) {
    this.#busyLooks = busyLooks;
    this.#answerOne = answerOne;
  }

  /** False for a request that is about something else. */
  handle({ method, pathname }: RequestLine, body: Buffer, response: ServerResponse): boolean {
    const [, ...segments] = pathname.replace(/^\/v1(?=\/)/, '').split('/');
    const [root = '', id, part] = segments[0] === 'messages' ? segments.slice(1) : segments;
    const isAnthropic = segments[0] === 'messages';
    if (root !== 'batches' && (isAnthropic || root !== 'files')) return false;
    if (root === 'files') this.#file(method, id, body, response);
    else if (method === 'POST') sendJson(response, 200, this.#create(objectIn(body), isAnthropic));
    else if (id === undefined) {
      const data = [...this.#batches.values()].map((batch) => this.#shown(batch, isAnthropic));
      sendJson(response, 200, { data });
    } else if (part === 'results') send(response, 200, 'application/x-jsonl', resultLines(this.#find(id)));
    else sendJson(response, 200, this.#look(id, isAnthropic));
    return true;
  }

  #file(method: string, id: string | undefined, body: Buffer, response: ServerResponse): void {
    if (method === 'POST') {
      const fileId = `file-${this.#files.size + 1}`;
      this.#files.set(fileId, uploadedFile(body.toString('utf8')));
      sendJson(response, 200, { id: fileId, object: 'file', purpose: 'batch' });
      return;
    }
    const [, kind, batchId = ''] = /^file-(output|error)-(.+)$/.exec(id ?? '') ?? [];
    if (kind === undefined) throw new RefusedRequest(404, `There is no file ${id}.`);
    send(response, 200, 'application/jsonl', fileLines(this.#find(batchId), kind === 'error'));
  }

  #create(body: JsonObject, isAnthropic: boolean): unknown {
    const requests = isAnthropic ? anthropicRequests(body) : this.#openaiRequests(body);
    const answers = requests.map(({ customId, path, params }) => ({
      customId,
      answer: this.#answerOne(path, params),
    }));
    const id = `${isAnthropic ? 'msgbatch' : 'batch'}_${this.#batches.size + 1}`;
    const batch = { id, createdAt: new Date(), answers, metadata: body.metadata ?? null, looks: 0 };
    this.#batches.set(id, batch);
    return this.#shown(batch, isAnthropic);
  }

  #openaiRequests({ input_file_id: fileId }: JsonObject) {
    const text = this.#files.get(String(fileId));
    if (text === undefined) throw new RefusedRequest(400, `There is no file ${String(fileId)}.`);
    return text.split('\n').map((line) => {
      const { custom_id: customId, url, body } = objectIn(line);
      return { customId: String(customId), path: String(url), params: objectOf(body) };
    });
  }

  #look(id: string, isAnthropic: boolean): unknown {
    const batch = this.#find(id);
    batch.looks += 1;
    return this.#shown(batch, isAnthropic);
  }

  #find(id: string): Batch {
    const batch = this.#batches.get(id);
    if (batch) return batch;
    throw new RefusedRequest(404, `There is no batch ${id}.`);
  }

  #shown(batch: Batch, isAnthropic: boolean): unknown {
    const isDone = batch.looks > this.#busyLooks;
    const { id, createdAt, answers, metadata } = batch;
    const answered = answers.filter(({ answer }) => answer?.status === 200).length;
    const isExpired = answers.some(({ answer }) => answer === undefined);
    if (isAnthropic) {
      const errored = answers.filter(({ answer }) => answer !== undefined && answer.status !== 200).length;
      const done = { succeeded: answered, errored, expired: answers.length - answered - errored };
      return {
        id,
        type: 'message_batch',
        processing_status: isDone ? 'ended' : 'in_progress',
        created_at: createdAt.toISOString(),
        request_counts: { processing: isDone ? 0 : answers.length, canceled: 0, ...(isDone && done) },
      };
    }
    return {
      id,
      object: 'batch',
      status: isDone ? (isExpired ? 'expired' : 'completed') : 'in_progress',
      created_at: Math.floor(createdAt.getTime() / 1_000),
      request_counts: { total: answers.length, completed: isDone ? answered : 0, failed: 0 },
      metadata,
      ...(isDone && { output_file_id: `file-output-${id}`, error_file_id: `file-error-${id}` }),
    };
  }
}

function anthropicRequests({ requests }: JsonObject) {
  const list = Array.isArray(requests) ? requests.filter(isRecord) : [];
  if (list.length === 0) throw new RefusedRequest(400, 'requests: at least one is required');
  return list.map(({ custom_id: customId, params }) => ({
    customId: String(customId),
    path: '/v1/messages',
    params: objectOf(params),
  }));
}

function resultLines({ answers }: Batch): string {
  return answers
    .map(({ customId, answer }) => JSON.stringify({ custom_id: customId, result: resultOf(answer) }))
    .join('\n');
}

function resultOf(answer: ReturnType<AnswerOne>): unknown {
  if (!answer) return { type: 'expired' };
  return answer.status === 200 ? { type: 'succeeded', message: answer.body } : { type: 'errored', error: answer.body };
}

function fileLines({ answers }: Batch, isErrors: boolean): string {
  return answers
    .filter(({ answer }) => (answer?.status !== 200) === isErrors)
    .map(({ customId, answer }) =>
      JSON.stringify({
        custom_id: customId,
        response: answer ? { status_code: answer.status, body: answer.body } : null,
        error: answer ? null : { code: 'batch_expired', message: 'This request could not be executed in time.' },
      }),
    )
    .join('\n');
}

/** The content of the part of a form that has a file name. */
function uploadedFile(form: string): string {
  const [boundary = ''] = form.split('\r\n', 1);
  const part = form.split(boundary).find((text) => /filename=/.test(text)) ?? '';
  return part.slice(part.indexOf('\r\n\r\n') + 4).replace(/\r\n$/, '');
}

function objectIn(text: Buffer | string): JsonObject {
  return objectOf(parseJson(text.toString()));
}

function objectOf(value: unknown): JsonObject {
  if (isRecord(value)) return value;
  throw new RefusedRequest(400, 'A JSON object is required.');
}
