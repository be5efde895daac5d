import type { MockProblem } from '../../domain/tool-control/mock-templates.ts';
import { isRecord } from '../../shared/json.ts';
import { compileJsonSchema, type JsonSchema, UnusableSchema } from '../../shared/json-schema/json-schema.ts';
import { nearestName } from '../../shared/suggest.ts';
import { templatesIn } from '../../shared/templates.ts';

/** The schemas of a tool, as its server lists them. */
export interface ToolSchemas {
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
}

/** The parts of a mock that schemas say something about. */
interface Conditions {
  readonly when?: { readonly args?: Readonly<Record<string, unknown>> | undefined } | undefined;
  readonly result?: unknown;
}

/** How a mock contradicts the schemas of its tool; undefined where it fits. */
export function contradictionOf(
  { when, result }: Conditions,
  { inputSchema, outputSchema }: ToolSchemas,
): MockProblem | undefined {
  const ofArguments = problemOfArguments(when?.args, inputSchema);
  if (ofArguments !== undefined) return { path: ['when', 'args'], message: ofArguments };
  const ofResult = problemOfResult(result, outputSchema);
  return ofResult === undefined ? undefined : { path: ['result'], message: ofResult };
}

/** A condition on arguments that no valid call can have would never hold. */
function problemOfArguments(args: Readonly<Record<string, unknown>> | undefined, schema: unknown): string | undefined {
  if (args === undefined || !isRecord(schema)) return undefined;
  // Conditions name some of the arguments only.
  const { required: _required, ...rest } = schema;
  const [problem] = usable(rest)?.problemsIn(args) ?? [];
  if (problem !== undefined) return `the arguments do not fit the input schema: ${problem}`;
  const { properties } = schema;
  if (!isRecord(properties) || schema.additionalProperties !== undefined || hasOtherSources(schema)) return undefined;
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(properties, name));
  if (unknown === undefined) return undefined;
  const nearest = nearestName(unknown, Object.keys(properties));
  return `the tool has no argument \`${unknown}\`${nearest === undefined ? '' : ` (did you mean \`${nearest}\`?)`}`;
}

/** Whether arguments may be declared elsewhere than in `properties`. */
function hasOtherSources(schema: Readonly<Record<string, unknown>>): boolean {
  return ['patternProperties', 'allOf', 'anyOf', 'oneOf', '$ref', 'if', 'dependentSchemas'].some(
    (key) => key in schema,
  );
}

/** Only results without templates can be checked before there is a call. */
function problemOfResult(result: unknown, schema: unknown): string | undefined {
  if (result === undefined || templatesIn(result, []).length > 0) return undefined;
  return problemOfData(result, schema);
}

/** Why a result does not fit the output schema of its tool; undefined where it fits, or where there is none. */
export function problemOfData(result: unknown, schema: unknown): string | undefined {
  if (!isRecord(schema)) return undefined;
  const isWhole = isRecord(result) && Array.isArray(result.content);
  const data = isWhole ? result.structuredContent : result;
  if (data === undefined || typeof data === 'string')
    return 'the tool has an output schema, so the result has to be data';
  const [problem] = usable(schema)?.problemsIn(data) ?? [];
  return problem === undefined ? undefined : `the result does not fit the output schema: ${problem}`;
}

/** A schema of a server that cannot be used says nothing about a mock. */
function usable(schema: unknown): JsonSchema | undefined {
  try {
    return compileJsonSchema(schema);
  } catch (error) {
    if (error instanceof UnusableSchema) return undefined;
    throw error;
  }
}
