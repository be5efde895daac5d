import { readdir } from 'node:fs/promises';
import * as z from 'zod';
import { channelSchema } from '../../domain/capability.ts';
import { usageShape } from '../../domain/usage.ts';
import { sha256 } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import { redactedText } from '../../shared/redaction/redacted.ts';
import { drawnOf, type Redact } from '../../shared/redaction/redaction.ts';
import { parseTape, readTape, writeTape } from '../tape/tape-file.ts';
import type { ModelReply, ModelRequest } from './model.ts';

const replySchema = z.strictObject({
  text: z.string(),
  toolCalls: z.array(z.strictObject({ callId: z.string(), tool: z.string(), input: z.unknown() })),
  finishReason: z.enum(['stop', 'length', 'tool-calls', 'content-filter', 'pause', 'other']),
  usage: z.strictObject(usageShape()),
  gaps: z
    .array(z.strictObject({ channels: z.array(channelSchema), reason: z.string(), place: z.string().optional() }))
    .optional(),
  costUsd: z.number().nullable(),
  latencyMs: z.number(),
  respondedAs: z.string(),
  vectors: z.array(z.array(z.number())).optional(),
}) satisfies z.ZodType<Omit<ModelReply, 'isReplayed'>>;

/** One call of a model as it is kept in a file; its request is only compared with others. */
const recordingSchema = z.strictObject({
  version: z.literal(1),
  /** See `recordingKey`. */
  key: z.string(),
  model: z.string(),
  recordedAt: z.iso.datetime(),
  request: z.looseObject({ messages: z.array(z.unknown()) }),
  reply: replySchema,
});
export type Recording = z.output<typeof recordingSchema>;

/** A call that is to be recorded. */
type FinishedCall = Omit<Recording, 'request' | 'reply'> & {
  readonly request: unknown;
  readonly reply: Omit<ModelReply, 'isReplayed'>;
};

/** The same request to the same model has the same key, whatever the order of its fields. */
export function recordingKey(model: string, request: ModelRequest): string {
  const { system, messages, tools, output, temperature, maxOutputTokens, seed, embed } = request;
  const settings = JSON.stringify({ model, system, temperature, maxOutputTokens, seed, output: output?.name, embed });
  const inOrder = (part: object | undefined): string => (part === undefined ? '' : canonicalJson(part));
  return sha256([settings, ...messages.map(messageText), inOrder(tools), inOrder(output?.schema)].join('\n'));
}

function messageText(message: ModelRequest['messages'][number]): string {
  // Only the arguments of tool calls have fields in any order.
  const isPlain = message.role === 'user' && Object.keys(message).length === 2;
  return isPlain ? JSON.stringify(['user', message.content]) : canonicalJson(message);
}

/** `openai-gpt-4o-mini-3f9a0c1d2e4b.json`: sorted by model in a listing, and safe in any file system. */
export function recordingFileName(model: string, key: string): string {
  return `${fileNameStart(model)}${key.slice(0, 12)}.json`;
}

/** How the files of a model's recordings begin. */
function fileNameStart(model: string): string {
  return `${model.replace(/[^\w.-]+/g, '-').slice(0, 100)}-`;
}

/** Most recordings that are compared to explain a miss. */
const mostCompared = 100;

/** A folder of recorded calls, one readable file each; files are read on demand. */
export class Recordings {
  readonly folder: string;
  readonly redact: Redact;

  constructor(folder: string, redact: Redact) {
    this.folder = folder;
    this.redact = redact;
  }

  /** The recording of a call; undefined when there is none. */
  find(model: string, key: string): Recording | undefined {
    const name = recordingFileName(model, key);
    const text = readTape(this.folder, name);
    const call = text === undefined ? undefined : parseTape(name, text, recordingSchema);
    return call?.key === key ? call : undefined;
  }

  /** Writes a recording in one step, without secrets; gives it as it was written. */
  async write(call: FinishedCall): Promise<Recording> {
    const name = recordingFileName(call.model, call.key);
    const { request, reply, ...identity } = call;
    const json = drawnOf({ request, reply }, this.redact, (call) => JSON.stringify({ ...identity, ...call }, null, 2));
    const text = redactedText`${json}\n`;
    await writeTape(this.folder, name, text);
    return parseTape(name, text, recordingSchema);
  }

  /** Some recordings of a model, or of all models when it has none. */
  async near(model: string): Promise<Recording[]> {
    const names = (await readdir(this.folder).catch(() => [])).filter((name) => /^[^.].*\.json$/.test(name)).sort();
    const start = fileNameStart(model);
    const ofModel = names.filter(
      (name) => name.startsWith(start) && /^[0-9a-f]{12}\.json$/.test(name.slice(start.length)),
    );
    const chosen = (ofModel.length > 0 ? ofModel : names).slice(0, mostCompared);
    return chosen.flatMap((name) => this.#readUsable(name) ?? []);
  }

  /** A file that cannot be read is skipped. */
  #readUsable(name: string): Recording | undefined {
    try {
      const text = readTape(this.folder, name);
      return text === undefined ? undefined : parseTape(name, text, recordingSchema);
    } catch {
      return undefined;
    }
  }
}
