import { invalidArguments, validArguments } from '../../../mcp-check/arguments/call-arguments.ts';
import { type CheckableSchema, checkableSchema } from '../../../mcp-check/arguments/schema-parts.ts';
import type { ListedTool } from '../../../mcp-check/definitions/listed-server.ts';
import { argumentsOf, type ToolArgument } from '../../../mcp-check/definitions/tool-arguments.ts';
import { canonicalJson, isRecord } from '../../../shared/json.ts';
import { TooMuchWork } from '../../../shared/json-schema/walk.ts';
import { seededRandom } from '../../../shared/seeded-random.ts';
import type { Arguments, GeneratedCall } from './generated-case.ts';

const seed = 1;
const usualCalls = 2;
const longestText = 2_000;
const mostEnumValues = 6;

/** The calls of a tool that its schema suggests: usual ones, one for each limit, and one for each way to break it. */
export function generateCalls(tool: ListedTool): GeneratedCall[] {
  const schema = isRecord(tool.inputSchema) ? checkableSchema(tool.inputSchema) : undefined;
  if (!schema) return [];
  const [base, ...further] = validArguments(schema, usualCalls, seededRandom(seed));
  if (base === undefined) return [];
  const limits = argumentsOf(tool).flatMap((argument) => limitsOf(argument, base, schema));
  const calls: GeneratedCall[] = [
    { tool: tool.name, label: 'usual', title: 'with required arguments only', args: base },
    ...limits.map((limit) => ({ ...limit, tool: tool.name })),
    ...further.map((args) => ({ tool: tool.name, label: 'usual' as const, title: 'with all arguments', args })),
    ...brokenCalls(tool.name, schema, base),
  ];
  const unique = new Map<string, GeneratedCall>();
  for (const call of calls) {
    const key = canonicalJson(call.args);
    if (!unique.has(key)) unique.set(key, call);
  }
  return [...unique.values()];
}

interface Limit {
  readonly title: string;
  readonly value: unknown;
  /** Whether the schema excludes it. */
  readonly isOutside: boolean;
}

function limitsOf(
  { name, schemas }: ToolArgument,
  base: Arguments,
  schema: CheckableSchema,
): Omit<GeneratedCall, 'tool'>[] {
  return schemas.flatMap(limitsIn).flatMap(({ title, value, isOutside }): Omit<GeneratedCall, 'tool'>[] => {
    const args = { ...base, [name]: value };
    // Other parts of the schema may allow a value or refuse it as well; then it shows nothing.
    if (fits(schema, args) !== !isOutside) return [];
    return [{ label: isOutside ? 'error-path' : 'boundary', title: `${name} ${title}`, args }];
  });
}

/** Values at the limits of a schema, and next to them. */
function limitsIn(schema: Readonly<Record<string, unknown>>): Limit[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength, minItems, type } = schema;
  const number = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
  const text = (length: number): string => 'x'.repeat(length);
  const isShort = (length: unknown): length is number => number(length) && length >= 0 && length <= longestText;
  const values = Array.isArray(schema.enum) ? schema.enum.slice(0, mostEnumValues) : [];
  return [
    ...(number(minimum) ? [at('at its minimum', minimum), outside('below its minimum', minimum - 1)] : []),
    ...(number(maximum) ? [at('at its maximum', maximum), outside('above its maximum', maximum + 1)] : []),
    ...(number(exclusiveMinimum) ? [outside('at its excluded minimum', exclusiveMinimum)] : []),
    ...(number(exclusiveMaximum) ? [outside('at its excluded maximum', exclusiveMaximum)] : []),
    ...(isShort(minLength) ? [at('with the shortest text', text(minLength))] : []),
    ...(isShort(minLength) && minLength > 0 ? [outside('with a text that is too short', text(minLength - 1))] : []),
    ...(isShort(maxLength)
      ? [at('with the longest text', text(maxLength)), outside('with a text that is too long', text(maxLength + 1))]
      : []),
    ...(minItems === 0 ? [at('without items', [])] : number(minItems) ? [outside('with too few items', [])] : []),
    ...values.map((value) => at(`as ${JSON.stringify(value)}`, value)),
    ...(type === 'boolean' ? [at('as true', true), at('as false', false)] : []),
    ...(Array.isArray(type) && type.includes('null') ? [at('as null', null)] : []),
  ];
}

function at(title: string, value: unknown): Limit {
  return { title, value, isOutside: false };
}

function outside(title: string, value: unknown): Limit {
  return { title, value, isOutside: true };
}

const defectTitles = {
  missing: 'is missing',
  'wrong-type': 'has a wrong type',
  'not-in-enum': 'is not among its values',
  'out-of-range': 'is out of range',
  extra: 'is unknown',
} as const;

function brokenCalls(tool: string, schema: CheckableSchema, base: Arguments): GeneratedCall[] {
  return invalidArguments(schema, base).flatMap(({ defect, argument, args, isInvalid }): GeneratedCall[] => {
    if (!isInvalid || defect === 'huge-text') return [];
    const title = defect === 'empty' ? 'without any argument' : `${argument} ${defectTitles[defect]}`;
    return [{ tool, label: 'error-path', title, args }];
  });
}

/** Undefined where it takes too much work to find out. */
function fits({ problemsIn }: CheckableSchema, value: unknown): boolean | undefined {
  try {
    return problemsIn(value).length === 0;
  } catch (error) {
    if (error instanceof TooMuchWork) return undefined;
    throw error;
  }
}
