import { canonicalJson, isRecord } from '../../shared/json.ts';

/** A request for a reply, in the one shape that requests to models are compared in. */
export interface ComparedRequest {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly messages: readonly unknown[];
}

/** A recorded call and how a request differs from its own. */
interface NearestCall<Call> {
  readonly call: Call;
  /** For people: `message 4 (tool result) at content[0].text ("3 tasks" became "4 tasks")`. */
  readonly changes: readonly string[];
}

const mostChanges = 4;

/** The recorded call with the fewest changes, and among those the one that is the same for longest. */
export function nearestCall<Call extends { readonly request: ComparedRequest }>(
  calls: readonly Call[],
  request: ComparedRequest,
): NearestCall<Call> | undefined {
  const text = textOf(request);
  const compared = calls.map((call) => {
    const changes = changesOf(call.request, request);
    const otherLength = Math.abs(call.request.messages.length - request.messages.length);
    const same = commonStart(textOf(call.request), text);
    return { call, changes, weight: changes.length + otherLength, same };
  });
  compared.sort((a, b) => a.weight - b.weight || b.same - a.same);
  const [nearest] = compared;
  if (!nearest) return undefined;
  const more = nearest.changes.length - mostChanges;
  const first = nearest.changes.slice(0, mostChanges);
  return { call: nearest.call, changes: more > 0 ? [...first, `${more} more`] : first };
}

/** Messages come first: they are what most requests differ in. */
function textOf({ fields, messages }: ComparedRequest): string {
  return withoutFenceNames(canonicalJson([messages, fields]));
}

function changesOf(before: ComparedRequest, after: ComparedRequest): string[] {
  const names = [...new Set([...Object.keys(before.fields), ...Object.keys(after.fields)])].sort();
  const both = Math.min(before.messages.length, after.messages.length);
  return [
    ...names.map((name) =>
      name === 'tools'
        ? toolChange(before.fields[name], after.fields[name])
        : changeAt(fieldNames[name] ?? name, before.fields[name], after.fields[name]),
    ),
    ...Array.from({ length: both }, (_, index) => {
      const message = after.messages[index];
      return changeAt(`message ${index + 1} (${speakerOf(message)})`, before.messages[index], message);
    }),
    changeOf('the number of messages', before.messages.length, after.messages.length),
  ].filter((change) => change !== undefined);
}

const fieldNames: Readonly<Record<string, string>> = {
  model: 'the model',
  system: 'the system prompt',
  instructions: 'the system prompt',
  systemInstruction: 'the system prompt',
  output: 'the output schema',
  embed: 'the texts to embed',
};

/** The first difference inside of two values, with the place where it is. */
function changeAt(what: string, before: unknown, after: unknown): string | undefined {
  if (canonicalJson(before) === canonicalJson(after)) return undefined;
  const { place, was, is } = firstDifference(before, after, '');
  return changeOf(place === '' ? what : `${what} at ${place}`, was, is);
}

interface Difference {
  readonly place: string;
  readonly was: unknown;
  readonly is: unknown;
}

function firstDifference(was: unknown, is: unknown, place: string): Difference {
  if (Array.isArray(was) && Array.isArray(is)) {
    const at = is.findIndex((item, index) => canonicalJson(item) !== canonicalJson(was[index]));
    if (at < 0 || at >= was.length) return { place, was: `${was.length} parts`, is: `${is.length} parts` };
    return firstDifference(was[at], is[at], `${place}[${at}]`);
  }
  if (isRecord(was) && isRecord(is)) {
    const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].sort();
    const name = names.find((each) => canonicalJson(was[each]) !== canonicalJson(is[each])) ?? '';
    return firstDifference(was[name], is[name], place === '' ? name : `${place}.${name}`);
  }
  return { place, was, is };
}

function toolChange(before: unknown, after: unknown): string | undefined {
  const [was, is] = [toolNames(before), toolNames(after)];
  const added = is.filter((name) => !was.includes(name));
  const removed = was.filter((name) => !is.includes(name));
  const words = [
    ...(added.length === 0 ? [] : [`${added.join(', ')} added`]),
    ...(removed.length === 0 ? [] : [`${removed.join(', ')} removed`]),
  ];
  return words.length > 0 ? `the tools (${words.join('; ')})` : changeAt('the tools', before, after);
}

/** Names of tools, however deep an API puts them. */
function toolNames(tools: unknown): string[] {
  if (Array.isArray(tools)) return tools.flatMap(toolNames);
  if (!isRecord(tools)) return [];
  if (typeof tools.name === 'string') return [tools.name];
  return [tools.function, tools.functionDeclarations, tools.tools].flatMap(toolNames);
}

function speakerOf(message: unknown): string {
  if (!isRecord(message)) return 'text';
  const text = canonicalJson(message);
  const isToolResult =
    message.role === 'tool' || /"type":"(?:tool_result|\w*_call_output)"|"functionResponse":/.test(text);
  if (isToolResult) return 'tool result';
  return String(message.role ?? message.type ?? 'item').replaceAll('_', ' ');
}

/** `temperature (0 became 0.7)`; undefined where nothing changed. */
function changeOf(what: string, before: unknown, after: unknown): string | undefined {
  const [was, is] = [readableJson(before), readableJson(after)];
  if (was === is) return undefined;
  const start = Math.max(0, commonStart(was, is) - 20);
  return `${what} (${excerpt(was, start)} became ${excerpt(is, start)})`;
}

/** As JSON, in which a line break that was added can be seen. */
function readableJson(value: unknown): string {
  return value === undefined ? 'nothing' : withoutFenceNames(canonicalJson(value));
}

/** The name of a fence follows from the data behind it: it always changes with the data and adds no information. */
function withoutFenceNames(text: string): string {
  return text.replace(/\bdata-[0-9a-f]{16}\b/g, 'data-…');
}

/** The surroundings of the first difference. */
function excerpt(text: string, start: number): string {
  const end = start + 60;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}

/** How many characters are the same before the first difference. */
export function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}
