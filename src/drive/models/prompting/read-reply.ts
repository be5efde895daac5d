import { type JSONVisitor, visit } from 'jsonc-parser';
import * as z from 'zod';

/** A value, or one sentence on why the reply does not give one. */
export type Reading<Value> =
  | {
      readonly isReadable: true;
      readonly value: Value;
      /** The problem that the model is prompted to correct, once. */
      readonly complaint?: string | undefined;
    }
  | { readonly isReadable: false; readonly problem: string };

const longestProblem = 600;

/**
 * Reads a reply that must be one JSON value of a schema and nothing else. A code fence around all of it is taken off;
 * JSON inside prose is not accepted, because the author of the prose may have written it.
 */
export function readReply<Value>(
  reply: string,
  schema: z.ZodType<Value>,
  findProblem: (value: Value) => string | undefined = () => undefined,
): Reading<Value> {
  const text = withoutFence(reply);
  if (text.trim() === '') return unreadable('the reply is empty');
  const parsed = parseJson(text);
  if (!parsed.isReadable) return parsed;
  const checked = schema.safeParse(parsed.value);
  if (!checked.success) return unreadable(z.prettifyError(checked.error));
  const problem = repeatedKey(text, parsed.value) ?? findProblem(checked.data);
  return problem === undefined ? { isReadable: true, value: checked.data } : unreadable(problem);
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
