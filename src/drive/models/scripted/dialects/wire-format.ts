import { hash } from 'node:crypto';
import { isRecord, jsonOrText } from '../../../../shared/json.ts';
import type { ModelFile } from '../../model.ts';
import { type JsonObject, RefusedRequest } from './dialect.ts';

/** The objects of a list; anything else is passed over. */
export function recordsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** The objects of a list that the provider insists on. */
export function requiredRecords(body: JsonObject, key: string): JsonObject[] {
  if (Array.isArray(body[key])) return recordsIn(body[key]);
  throw new RefusedRequest(400, `\`${key}\` must be a list.`);
}

/** The name of the model, which every request must give. */
export function requiredModel(body: JsonObject): string {
  if (typeof body.model === 'string' && body.model !== '') return body.model;
  throw new RefusedRequest(400, '`model` must name a model.');
}

/** A text, or nothing. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The text of a message: itself, or that of its parts; pictures and the like have none. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return recordsIn(content)
    .flatMap((part) => (typeof part.text === 'string' ? [part.text] : []))
    .join('\n');
}

/** The files among the parts of a message, in the form of any API, by the digest of the bytes that came. */
export function filesIn(content: unknown): { readonly files?: readonly ModelFile[] } {
  const files = recordsIn(content).flatMap((part) => fileIn(part) ?? []);
  return files.length > 0 ? { files } : {};
}

function fileIn(part: JsonObject): ModelFile | undefined {
  const image = isRecord(part.image_url) ? part.image_url.url : part.image_url;
  const file = isRecord(part.file) ? part.file : part;
  const named = textIn(file.filename ?? part.title);
  const [, urlType, urlData] = /^data:([^;,]+);base64,(.*)$/s.exec(textIn(image ?? file.file_data)) ?? [];
  if (urlType !== undefined && urlData !== undefined) return receivedFile(named, urlType, urlData);
  const { source, inlineData } = part;
  if (isRecord(source) && source.type === 'base64') return receivedFile(named, source.media_type, source.data);
  if (isRecord(inlineData)) return receivedFile(named, inlineData.mimeType, inlineData.data);
  const [kind, block] = isRecord(part.image) ? ['image', part.image] : ['application', part.document];
  if (!isRecord(block) || !isRecord(block.source)) return undefined;
  return receivedFile(textIn(block.name), `${kind}/${textIn(block.format)}`, block.source.bytes);
}

function receivedFile(name: string, mediaType: unknown, base64: unknown): ModelFile {
  const content = Buffer.from(textIn(base64), 'base64');
  return { name, mediaType: textIn(mediaType), sha256: hash('sha256', content), bytes: content.length };
}

/** True for messages that instruct the model; agents send them anywhere in a conversation. */
export function isInstruction({ role }: JsonObject): boolean {
  return role === 'system' || role === 'developer';
}

/** The system prompt, and the instructions among the messages. */
export function systemText(system: unknown, messages: readonly JsonObject[]): string {
  const instructions = messages.filter(isInstruction).map(({ content }) => contentText(content));
  return [contentText(system), ...instructions].filter((text) => text !== '').join('\n');
}

/** Arguments as JSON; what is none is kept as text. */
export function argumentsIn(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? {};
  return jsonOrText(value);
}

/** The name in a demand such as `{ type: 'function', name }`; a demand for any tool means the only one there is. */
export function demandedTool(
  named: unknown,
  isAnyDemanded: boolean,
  tools: readonly { readonly name: string }[],
): string | undefined {
  if (typeof named === 'string') return named;
  return isAnyDemanded && tools.length === 1 ? tools[0]?.name : undefined;
}

/** One event of an event stream whose data is JSON. */
export function serverSentEvent(data: unknown, event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** OpenAI's shape of an error. */
export function openaiError(status: number, message: string): unknown {
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  return { error: { message, type: errorTypes[status] ?? type, param: null, code: errorCodes[status] ?? null } };
}

/** OpenAI's list of models. */
export function openaiModels(model: string): unknown {
  return { object: 'list', data: [{ id: model, object: 'model', created: 0, owned_by: 'assay' }] };
}

/** The variable that OpenAI's clients and most agents honour. */
export function openaiEnvironment(url: string): Readonly<Record<string, string>> {
  return { OPENAI_BASE_URL: `${url}/v1` };
}

/** OpenAI's name for the limit that was exceeded. */
const errorTypes: Readonly<Record<number, string>> = { 429: 'requests' };

const errorCodes: Readonly<Record<number, string>> = { 401: 'invalid_api_key', 429: 'rate_limit_exceeded' };
