import * as z from 'zod';
import { channelSchema } from '../../domain/capability.ts';
import { usageShape } from '../../domain/usage.ts';
import { sha256 } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import type { ModelReply, ModelRequest } from './model.ts';

const toolCallSchema = z.strictObject({ callId: z.string(), tool: z.string(), input: z.unknown() });

const replySchema = z.strictObject({
  text: z.string(),
  toolCalls: z.array(toolCallSchema),
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

/** The parts of a recording that a replay needs; the request is read only to explain a miss. */
export const recordedCallSchema = z.strictObject({
  version: z.literal(1),
  /** See `recordingKey`. */
  key: z.string(),
  model: z.string(),
  recordedAt: z.iso.datetime(),
  request: z.unknown(),
  reply: replySchema,
});
type RecordedCall = z.output<typeof recordedCallSchema>;

/** The part of a recording that is kept in memory. */
export type ReplayableCall = Omit<RecordedCall, 'request'>;

/** A call that is to be recorded. */
export type FinishedCall = Omit<RecordedCall, 'reply'> & { readonly reply: Omit<ModelReply, 'isReplayed'> };

/** One call of a model as it is kept in a file; its request is only compared with others. */
export const recordingSchema = recordedCallSchema.extend({
  request: z.looseObject({ messages: z.array(z.unknown()) }),
});
export type Recording = z.output<typeof recordingSchema>;

/** Canonical texts of objects that many calls share, each computed once. */
export type WrittenParts = WeakMap<object, string>;

/** The same request to the same model has the same key, whatever the order of its fields. */
export function recordingKey(model: string, request: ModelRequest, written: WrittenParts = new WeakMap()): string {
  const { system, messages, tools, output, temperature, maxOutputTokens, seed, embed } = request;
  const settings = JSON.stringify({ model, system, temperature, maxOutputTokens, seed, output: output?.name, embed });
  const parts = [settings, ...messages.map(messageText), inOrder(tools, written), inOrder(output?.schema, written)];
  return sha256(parts.join('\n'));
}

function inOrder(part: object | undefined, written: WrittenParts): string {
  if (part === undefined) return '';
  const text = written.get(part) ?? canonicalJson(part);
  written.set(part, text);
  return text;
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
export function fileNameStart(model: string): string {
  return `${model.replace(/[^\w.-]+/g, '-').slice(0, 100)}-`;
}
