import { AssayError } from '../../../../domain/errors.ts';
import { expectedErrorOf } from '../../../../domain/mcp/feature-suites.ts';
import { isOwnError, type ToolError } from '../../../../domain/tool-error.ts';
import { containsText, differenceOfResult, type ResultMatch } from '../../../../domain/tools/tool-meaning.ts';
import type { TraceEventOf } from '../../../../domain/trace.ts';
import { isRecord } from '../../../../shared/json.ts';
import { compileTextPattern, UnusablePattern } from '../../../../shared/patterns.ts';
import {
  errorInWords,
  fail,
  inMs,
  type Judged,
  jsonText,
  mismatch,
  pass,
  refuseUnanswered,
  timeOf,
} from './test-verdict.ts';

const methodNotFound = -32_601;
const urlElicitationRequired = -32_042;

/** Expectations that every kind of test may have of an answer. */
export interface Expectations {
  readonly expectedError?: string | undefined;
  readonly expectError?: string | undefined;
  readonly maxLatency?: number | undefined;
}

interface Reply {
  readonly error?: ToolError | undefined;
}

/** Judges an answer that is an error; undefined for one that is not. */
export function judgeError(
  expectations: Expectations,
  { error }: Reply,
  ended: TraceEventOf<'mcp-test'>,
): Judged | undefined {
  if (!error) return undefined;
  const expected = expectedErrorOf(expectations);
  const errorText = errorInWords(error);
  const time = timeOf(ended);
  refuseUrlElicitation(error);
  if (expected !== undefined) refuseAbsentFeature(error);
  if (expected === undefined) return fail(`The call failed: ${errorText} (${time})`, { error: error.message });
  if (isOwnError(error))
    return fail(`Expected an error that contains ${jsonText(expected)}, and the server did not answer: ${errorText}`, {
      error: error.message,
    });
  if (containsText(error.message, expected)) {
    return { ...pass(`Failed as expected: ${errorText} (${time})`), error: error.message };
  }
  return fail(`Expected an error that contains ${jsonText(expected)}, got: ${errorText} (${time})`, {
    error: error.message,
  });
}

/**
 * A server that does not know a method at all has not refused the request: an expected error must come from
 * the feature under test.
 */
export function refuseAbsentFeature(error: ToolError): void {
  if (error.code !== methodNotFound) return;
  const message = `The server does not have this feature: ${errorInWords(error)}`;
  throw new AssayError('MCP_FEATURE_ABSENT', message);
}

function refuseUrlElicitation(error: ToolError): void {
  if (error.code !== urlElicitationRequired) return;
  throw new AssayError(
    'MCP_UNSUPPORTED',
    `The tool requests that its user open a URL, which Assay does not support: ${errorInWords(error)}`,
  );
}

/** Judges how long an answer took; undefined for one that came in time. */
export function judgeLatency(
  { maxLatency }: Expectations,
  ended: TraceEventOf<'mcp-test'>,
  latencyMs = ended.latencyMs,
): Judged | undefined {
  if (maxLatency === undefined || latencyMs <= maxLatency) return undefined;
  const time = inMs(latencyMs);
  const total = ended.attempts > 1 ? ` (${timeOf(ended)})` : '';
  return fail(`Took ${time}, the limit is ${inMs(maxLatency)}${total}`);
}

/** Judges a result that should have been an error; undefined where none was expected. */
function judgeSuccess(
  expectations: Expectations,
  result: unknown,
  ended: TraceEventOf<'mcp-test'>,
): Judged | undefined {
  const expected = expectedErrorOf(expectations);
  if (expected === undefined) return undefined;
  const wanted = `Expected an error that contains ${jsonText(expected)}`;
  return fail(`${wanted}, but the call succeeded with ${jsonText(result)} (${timeOf(ended)})`);
}

/** Judges one answer: its error, its time, its content, that no error was expected, and last what the server promises. */
export function judgeReply(
  spec: Expectations,
  reply: Reply | undefined,
  ended: TraceEventOf<'mcp-test'>,
  wanted: {
    readonly value: unknown;
    check(): Judged | undefined;
    promises?(): Judged | undefined;
    readonly summary: string;
  },
): Judged {
  if (!reply) refuseUnanswered();
  return (
    judgeError(spec, reply, ended) ??
    judgeLatency(spec, ended) ??
    wanted.check() ??
    judgeSuccess(spec, wanted.value, ended) ??
    wanted.promises?.() ??
    pass(wanted.summary)
  );
}

/** Judges the result of a tool; undefined where it is as expected, or nothing is expected of it. */
export function judgeResult(
  { expectedResult, match }: { readonly expectedResult?: unknown; readonly match?: ResultMatch | undefined },
  result: unknown,
  ended: TraceEventOf<'mcp-test'>,
): Judged | undefined {
  const difference = expectedResult === undefined ? undefined : differenceOfResult(expectedResult, result, match);
  return difference && mismatch(difference, timeOf(ended));
}

/** Fails where a regular expression is not found in a text; undefined where it is. */
export function judgePattern(pattern: string, text: string): Judged | undefined {
  try {
    if (compileTextPattern(pattern).occursIn(text)) return undefined;
  } catch (error) {
    if (!(error instanceof UnusablePattern)) throw error;
    throw new AssayError('CRITERION_UNUSABLE', `The pattern ${jsonText(pattern)} cannot be used: ${error.message}`);
  }
  return fail(`Expected a match of ${jsonText(pattern)}, got ${jsonText(text)}`);
}

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
    if (!isRecord(message)) return `There is no message ${index + 1}, expected ${jsonText(expected[index])}`;
    if (role !== undefined && message.role !== role) {
      return `Message ${index + 1} is of ${jsonText(message.role)}, expected ${jsonText(role)}`;
    }
    const wanted = contentText(content);
    if (!containsText(contentText(message.content), wanted)) {
      return `Message ${index + 1} does not contain ${jsonText(wanted)}: ${jsonText(message.content)}`;
    }
  }
  return undefined;
}
