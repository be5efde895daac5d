import { containsText } from '../../../../../domain/tool-meaning.ts';
import { isRecord } from '../../../../../shared/json.ts';
import { shown } from './judged.ts';

/** The text of what a message holds: a text, a block, or several blocks. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(contentText).join('\n');
  if (!isRecord(content)) return '';
  if (typeof content.text === 'string') return content.text;
  return isRecord(content.resource) ? contentText(content.resource) : '';
}

interface ExpectedMessage {
  readonly role?: string | undefined;
  readonly content?: unknown;
}

/** How messages are not what was expected, in words; there may be more of them. Undefined where they are. */
export function messageDifference(
  expected: readonly ExpectedMessage[],
  actual: readonly unknown[],
): string | undefined {
  for (const [index, { role, content }] of expected.entries()) {
    const message = actual[index];
    if (!isRecord(message)) return `There is no message ${index + 1}, expected ${shown(expected[index])}`;
    if (role !== undefined && message.role !== role) {
      return `Message ${index + 1} is of ${shown(message.role)}, expected ${shown(role)}`;
    }
    const wanted = contentText(content);
    if (!containsText(contentText(message.content), wanted)) {
      return `Message ${index + 1} does not contain ${shown(wanted)}: ${shown(message.content)}`;
    }
  }
  return undefined;
}
