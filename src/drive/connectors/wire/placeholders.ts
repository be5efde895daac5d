import type * as z from 'zod';
import { messageText } from '../../../domain/message.ts';
import { mapTexts } from '../../../shared/json.ts';
import { templatesIn } from '../../../shared/templates.ts';
import type { ConnectorRequest } from '../connector.ts';
import { asText, withoutMetadata } from './messages.ts';

/** The facts of a conversation that a request may contain. */
const placeholderNames = ['messages', 'message', 'conversationId', 'turn', 'model', 'threadId'] as const;
type PlaceholderName = (typeof placeholderNames)[number];

/** A value for each placeholder; undefined where there is none. */
export type PlaceholderValues = Readonly<Record<PlaceholderName, unknown>>;

const anywhere = /\{\{\s*([\w.-]+)\s*\}\}/g;
const alone = /^\{\{\s*([\w.-]+)\s*\}\}$/;

/**
 * Data with its placeholders filled in. A text that is nothing but a placeholder becomes its value, list or number
 * included; within a longer text it becomes text. A field without a value is not sent.
 */
export function fillPlaceholders(data: unknown, values: PlaceholderValues): unknown {
  return mapTexts(data, (text) => {
    const name = alone.exec(text)?.[1];
    return name !== undefined && isPlaceholder(name) ? values[name] : fillText(text, values, (value) => value);
  });
}

/** A text with every placeholder replaced by text, which `write` may encode. */
export function fillText(text: string, values: PlaceholderValues, write: (value: string) => string): string {
  if (!text.includes('{{')) return text;
  return text.replace(anywhere, (_, name: PlaceholderName) => write(asText(values[name])));
}

/** The placeholders of a request, for descriptions. */
export const placeholders = placeholderNames.map((name) => `{{${name}}}`).join(', ');

/** Refuses unknown placeholders anywhere in a value. */
export function refuseUnknown(value: unknown, context: z.core.$RefinementCtx<unknown>): void {
  for (const { path, name } of templatesIn(value, [])) {
    if (name === undefined || isPlaceholder(name)) continue;
    const message = `unknown placeholder \`{{${name}}}\`; available: ${placeholders}`;
    context.addIssue({ code: 'custom', path: [...path], message });
  }
}

function isPlaceholder(name: string): name is PlaceholderName {
  return placeholderNames.some((placeholder) => placeholder === name);
}

/** The facts of a turn that a request to an endpoint may contain. */
export function placeholderValues(request: ConnectorRequest, threadId: string | undefined): PlaceholderValues {
  const { conversationId, turn, model } = request;
  const messages = withoutMetadata(request.messages);
  const last = messages.findLast(({ role }) => role === 'user');
  return { messages, message: last ? messageText(last) : '', conversationId, turn, model, threadId };
}
