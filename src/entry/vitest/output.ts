import { isRecord } from '../../shared/json.ts';

/** Names of the tools that an output says were called, in order. */
export function calledTools(output: unknown): string[] {
  return callsOf(output)?.flatMap((call) => toolName(call) ?? []) ?? [];
}

/** The same without calls that were refused before they reached a tool. */
export function toolsReached(output: unknown): string[] {
  return calledTools(callsOf(output)?.filter((call) => !isRecord(call) || call.refused !== true));
}

/** For messages. */
export function shownTools(output: unknown): string[] {
  const calls = callsOf(output) ?? [];
  return calls.flatMap((call) => {
    const name = toolName(call);
    return name === undefined ? [] : [isRecord(call) && call.refused === true ? `${name} (refused)` : name];
  });
}

/** Whether an output says anything about calls. */
export function tellsCalls(output: unknown): boolean {
  return callsOf(output) !== undefined;
}

/** The output itself as a list, else its `toolCalls`, else its `tools`. */
function callsOf(output: unknown): readonly unknown[] | undefined {
  if (Array.isArray(output)) return output;
  if (!isRecord(output)) return undefined;
  return [output.toolCalls, output.tools].find((calls) => Array.isArray(calls));
}

/** The spellings of several model APIs. */
function toolName(call: unknown): string | undefined {
  if (typeof call === 'string') return call;
  if (!isRecord(call)) return undefined;
  const inFunction = isRecord(call.function) ? call.function.name : undefined;
  return [call.name, call.tool, call.toolName, inFunction].find((name) => typeof name === 'string');
}

/** The text of an output: of a tool's answer, of a result, of the messages of a workflow, or its JSON. */
export function outputText(output: unknown): string {
  if (typeof output === 'string') return output;
  if (!isRecord(output)) return plainText(output);
  return textUnder(output, ['content', 'text', 'result']) ?? messagesText(output.messages) ?? plainText(output);
}

/** The text that is expected of an output, or undefined when none is. */
export function expectedText(expected: unknown): string | undefined {
  if (typeof expected === 'string') return expected;
  return isRecord(expected) ? textUnder(expected, ['content', 'text', 'result']) : undefined;
}

function textUnder(record: Readonly<Record<string, unknown>>, keys: readonly string[]): string | undefined {
  const value = keys.map((key) => record[key]).find((text) => text !== undefined && text !== null);
  if (value === undefined) return undefined;
  return Array.isArray(value) ? value.map(blockText).join(' ') : outputText(value);
}

function blockText(block: unknown): string {
  if (!isRecord(block)) return plainText(block);
  const spoken = [block.text, block.content].find((text) => typeof text === 'string');
  return spoken ?? plainText(block);
}

function messagesText(messages: unknown): string | undefined {
  return Array.isArray(messages) ? messages.map(blockText).join(' ') : undefined;
}

function plainText(value: unknown): string {
  if (typeof value === 'string') return value;
  return (typeof value === 'object' ? JSON.stringify(value) : undefined) ?? String(value);
}

/** The message of the error that an output is or contains; undefined without an error. */
export function outputError(output: unknown): string | undefined {
  if (output instanceof Error) return output.message;
  if (!isRecord(output)) return undefined;
  const { error, isError, success } = output;
  if (error !== undefined && error !== null && error !== false) return messageOf(error);
  if (isError === true) return outputText(output);
  return success === false ? outputText(output) : undefined;
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  if (isRecord(error) && typeof error.message === 'string') return error.message;
  return outputText(error);
}

/** Milliseconds that an output says it took, or undefined when it does not say. */
export function outputLatencyMs(output: unknown): number | undefined {
  if (!isRecord(output)) return undefined;
  return [output.latency, output.executionTime, output.duration, output.responseTime].find(
    (value): value is number => typeof value === 'number' && Number.isFinite(value),
  );
}
