import { refusalText as clientRefusal } from '../../drive/mcp/schemas/refusal.ts';
import type { McpAnswer } from '../../drive/mcp/session.ts';
import { grouped } from '../../shared/format.ts';
import { isRecord } from '../../shared/json.ts';
import { printable, shorten } from '../../shared/text.ts';
import { textReadsLikeError } from './failure-cause.ts';

const longestMessage = 300;
const longestArguments = 160;
const longestText = 60;

/** Whether a server refused: with an error of the protocol, or with a result that says so. */
export function isRefusal(answer: McpAnswer): boolean {
  return answer.kind === 'error' || answer.result.isError === true;
}

/** Why a result of a tool does not follow the protocol: official clients take one without content, the specification does not. */
export function resultDefect(answer: McpAnswer): string | undefined {
  if (answer.kind === 'error') return undefined;
  if (answer.refusal) return `${clientRefusal(answer.refusal)}.`;
  return answer.result.content === undefined ? 'there is no `content`.' : undefined;
}

/** The whole text of a refusal. */
export function refusalText(answer: McpAnswer): string {
  if (answer.kind === 'error') return answer.message;
  const { content } = answer.result;
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  return blocks.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n');
}

/** Whether a result of a tool without `isError` reads like an error; data in the form that the tool declares does not. */
export function readsLikeError(answer: McpAnswer, tool: string, args: Readonly<Record<string, unknown>> = {}): boolean {
  if (isRefusal(answer) || answer.kind === 'error' || answer.result.structuredContent !== undefined) return false;
  const text = refusalText(answer);
  return !asksForError(args) && !answersEach(text, args) && textReadsLikeError(text, tool);
}

/** Whether a text begins with one of the items that were given: a tool with many answers says of each how it went. */
function answersEach(text: string, args: Readonly<Record<string, unknown>>): boolean {
  const items = Object.values(args).flatMap((value) => (Array.isArray(value) ? value : []));
  return items.some((item) => typeof item === 'string' && item !== '' && text.startsWith(item));
}

/** Arguments such as `level: "error"` ask for a text about an error. */
function asksForError(args: Readonly<Record<string, unknown>>): boolean {
  return Object.values(args).some(
    (value) => typeof value === 'string' && /^(?:error|failure|exception)s?$/i.test(value),
  );
}

/** A message of a server in one line of a report. */
export function shownMessage(text: string): string {
  const line = printable(text).trim();
  if (line === '') return '(an empty message)';
  return shorten(line, longestMessage);
}

/** Arguments in one line of a report. */
export function shownArguments(args: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(args, (_key, value: unknown) =>
    typeof value === 'string' && value.length > longestText
      ? `${value.slice(0, 20)}… (${grouped(value.length)} characters)`
      : value,
  );
  return shorten(text, longestArguments);
}

const traces: readonly RegExp[] = [
  /^[ \t]+at .{1,200}[:(][^\n]{0,300}:\d+:\d+\)?$/m,
  /Traceback \(most recent call last\)/,
  /^[ \t]+File "[^"\n]{1,300}", line \d+/m,
  /^goroutine \d+ \[/m,
  /^[ \t]+at [\w.$]+\([\w]+\.java:\d+\)$/m,
];

const mostCharacters = 20_000;

/** Whether a message holds a stack trace, as Node.js, Python, Go and Java write them. */
export function showsInternals(text: string): boolean {
  const beginning = text.slice(0, mostCharacters);
  return traces.some((pattern) => pattern.test(beginning));
}
