import { type JSONVisitor, visit } from 'jsonc-parser';
import * as z from 'zod';

/** A value, or one sentence on why the reply does not give one. Records are open: unrequested keys are ignored. */
export type Reading<Value> =
  | {
      readonly isReadable: true;
      readonly value: Value;
      /** The problem that the model is prompted to correct, once. */
      readonly complaint?: string | undefined;
      /** The JSON, where other words stand around it: it may be a quotation. */
      readonly amongWords?: string | undefined;
    }
  | { readonly isReadable: false; readonly problem: string };

const longestProblem = 600;

/** Reads a reply that must be one JSON value of a schema: alone, in a code fence, or the only one of its form in prose. */
export function readReply<Value>(
  reply: string,
  schema: z.ZodType<Value>,
  findProblem: (value: Value) => string | undefined = () => undefined,
): Reading<Value> {
  if (reply.trim() === '') return unreadable('the reply is empty');
  const bare = withoutFence(reply);
  const whole = parseJson(bare);
  if (whole.isReadable) return readValue(bare, whole.value, schema, findProblem);
  const found = objectsIn(reply).filter(({ value }) => schema.safeParse(value).success);
  const [only] = found;
  if (!only) return whole;
  if (found.length > 1) return unreadable(`the reply has ${found.length} JSON objects instead of one`);
  const reading = readValue(only.text, only.value, schema, findProblem);
  return reading.isReadable ? { ...reading, amongWords: only.text } : reading;
}

function readValue<Value>(
  text: string,
  value: unknown,
  schema: z.ZodType<Value>,
  findProblem: (value: Value) => string | undefined,
): Reading<Value> {
  const checked = schema.safeParse(value);
  if (!checked.success) return unreadable(issuesText(checked.error));
  const problem = repeatedKey(text, value) ?? findProblem(checked.data);
  return problem === undefined ? { isReadable: true, value: checked.data } : unreadable(problem);
}

/** `scores is missing; weighted_score: expected number, received string`: for the model that repairs it, and for people. */
function issuesText({ issues }: z.ZodError): string {
  return issues
    .map(({ path, message }) => {
      const place = path.length === 0 ? 'the reply' : path.join('.');
      const what = message.replace(/^Invalid input: /, '');
      return what.endsWith('received undefined') ? `${place} is missing` : `${place}: ${what}`;
    })
    .join('; ');
}

interface FoundObject {
  readonly text: string;
  readonly value: unknown;
}

/** The outermost JSON objects among other words; none where one is cut, because its parts are not the reply. */
function objectsIn(text: string): FoundObject[] {
  const found: FoundObject[] = [];
  for (let start = text.indexOf('{'); start >= 0; ) {
    const end = endOfObject(text, start);
    if (end === undefined) return [];
    const written = text.slice(start, end);
    const parsed = parseJson(written);
    if (parsed.isReadable) found.push({ text: written, value: parsed.value });
    start = text.indexOf('{', end);
  }
  return found;
}

/** Where the braces that open here are closed; those in texts of JSON do not count. */
function endOfObject(text: string, start: number): number | undefined {
  const tokens = /"(?:[^"\\]|\\.)*"|[{}]/gs;
  tokens.lastIndex = start;
  let depth = 0;
  for (let match = tokens.exec(text); match; match = tokens.exec(text)) {
    if (match[0] === '{') depth++;
    if (match[0] === '}' && --depth === 0) return tokens.lastIndex;
  }
  return undefined;
}

/** The problem of a list of ids that should be exactly the requested ones, each once. */
export function idProblem(requested: readonly string[], answered: readonly string[]): string | undefined {
  const missing = requested.filter((id) => !answered.includes(id));
  const extra = answered.filter((id) => !requested.includes(id));
  const repeated = answered.filter((id, position) => answered.indexOf(id) !== position);
  const problems = [
    missing.length > 0 ? `missing: ${missing.join(', ')}` : '',
    extra.length > 0 ? `not requested: ${extra.join(', ')}` : '',
    repeated.length > 0 ? `answered twice: ${repeated.join(', ')}` : '',
  ].filter((problem) => problem !== '');
  return problems.length === 0 ? undefined : problems.join('; ');
}

function withoutFence(reply: string): string {
  return /^\s*```(?:json)?\s*([[{"][\s\S]*?)\s*```\s*$/i.exec(reply)?.[1] ?? reply;
}

function parseJson(text: string): Reading<unknown> {
  try {
    return { isReadable: true, value: JSON.parse(text) };
  } catch (error) {
    return unreadable(`the reply is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** JSON.parse keeps the last of two equal keys; a judge that gives two scores has given none. */
function repeatedKey(text: string, value: unknown): string | undefined {
  // Every key that is written has a colon after its quote: no more of those than keys that were kept, and none is lost.
  if ((text.match(/"\s*:/g)?.length ?? 0) === keyCount(value)) return undefined;
  const open: Set<string>[] = [];
  let repeated: string | undefined;
  const visitor: JSONVisitor = {
    onObjectBegin: () => {
      open.push(new Set());
    },
    onObjectEnd: () => {
      open.pop();
    },
    onObjectProperty: (key) => {
      const keys = open.at(-1);
      if (keys?.has(key)) repeated ??= `the key ${JSON.stringify(key)} is given twice`;
      keys?.add(key);
    },
  };
  visit(text, visitor);
  return repeated;
}

function keyCount(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((sum, part) => sum + keyCount(part), own);
}

function unreadable(problem: string): { readonly isReadable: false; readonly problem: string } {
  return { isReadable: false, problem: problem.slice(0, longestProblem) };
}

/** The JSON Schema of a reply as providers take it: without the dialect, which some of them refuse. */
export function replyJsonSchema(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _dialect, ...jsonSchema } = z.toJSONSchema(schema);
  return jsonSchema;
}
