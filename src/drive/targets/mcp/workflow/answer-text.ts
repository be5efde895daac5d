import { isRecord } from '../../../../shared/json.ts';
import { cutText } from '../../../models/prompting/cut-middle.ts';

type Block = Readonly<Record<string, unknown>>;

/** Of one result; more of it would push the conversation out of the model's sight. */
const mostTokens = 25_000;

/** What the result of a tool says to a model; what is no text is named, and a text that is too long loses its middle. */
export function answerText({ content, structuredContent }: Readonly<Record<string, unknown>>): string {
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  const text = blocks.map(blockText).join('\n');
  if (text !== '') return bounded(text);
  return structuredContent === undefined ? '(the tool returned nothing)' : bounded(JSON.stringify(structuredContent));
}

/** A text that a model can be shown. */
export function bounded(text: string): string {
  const cut = cutText(text, mostTokens);
  return cut ? `${cut.head}\n[… ${cut.cutCharacters} characters left out …]\n${cut.tail}` : text;
}

function blockText(block: Block): string {
  if (block.type === 'text' && typeof block.text === 'string') return block.text;
  if (block.type === 'resource' && isRecord(block.resource)) return resourceText(block.resource);
  if (block.type === 'resource_link') return `[resource ${String(block.name ?? '')}: ${String(block.uri ?? '')}]`;
  return `[${String(block.type ?? 'something')}${mimeType(block)}, not shown]`;
}

function resourceText(resource: Block): string {
  if (typeof resource.text === 'string') return resource.text;
  return `[resource ${String(resource.uri ?? '')}${mimeType(resource)}, not shown]`;
}

function mimeType(block: Block): string {
  return typeof block.mimeType === 'string' ? ` of type ${block.mimeType}` : '';
}
