import { isRecord } from '../../../shared/json.ts';

/** What an output says: the text of a tool's answer, of a result, of the messages of a workflow, or its JSON. */
export function outputText(output: unknown): string {
  if (typeof output === 'string') return output;
  if (!isRecord(output)) return plainText(output);
  return saidUnder(output, ['content', 'text', 'result']) ?? messagesText(output.messages) ?? plainText(output);
}

/** The text that is expected of an output, or undefined when none is. */
export function expectedText(expected: unknown): string | undefined {
  if (typeof expected === 'string') return expected;
  return isRecord(expected) ? saidUnder(expected, ['content', 'text', 'result']) : undefined;
}

function saidUnder(record: Readonly<Record<string, unknown>>, keys: readonly string[]): string | undefined {
  const value = keys.map((key) => record[key]).find((said) => said !== undefined && said !== null);
  if (value === undefined) return undefined;
  return Array.isArray(value) ? value.map(blockText).join(' ') : outputText(value);
}

function blockText(block: unknown): string {
  if (!isRecord(block)) return plainText(block);
  const said = [block.text, block.content].find((text) => typeof text === 'string');
  return said ?? plainText(block);
}

function messagesText(messages: unknown): string | undefined {
  return Array.isArray(messages) ? messages.map(blockText).join(' ') : undefined;
}

function plainText(value: unknown): string {
  if (typeof value === 'string') return value;
  return (typeof value === 'object' ? JSON.stringify(value) : undefined) ?? String(value);
}
