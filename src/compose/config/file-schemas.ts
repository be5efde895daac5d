import * as z from 'zod';
import { attackSuiteSchema } from '../../domain/attacks/attack-suite.ts';
import { judgeInputSchema } from '../../domain/judge-protocol.ts';
import { inferredKey } from '../../drive/mcp/server-definition.ts';
import { conversationSchema } from '../../load/scenarios/formats/conversation/conversation-schema.ts';
import { publishedLlmToolTestSchema } from '../../load/scenarios/formats/llm-tool-test/llm-tool-test-schema.ts';
import { mcpServerSchema } from '../../load/scenarios/formats/mcp-server/mcp-server-schema.ts';
import { callEvaluators, nativeSchema } from '../../load/scenarios/formats/native/native-schema.ts';
import { alsoText } from '../../load/scenarios/formats/schema-parts.ts';
import { registeredParts } from '../parts.ts';
import { configSchema } from './config-schema.ts';

const schemas = {
  scenario: () =>
    nativeSchema(
      { evaluators: callEvaluators(registeredParts.evaluators) },
      z.union(callTargets().map(({ configSchema: schema, summary }) => schema.describe(summary))),
    ),
  'cli-tool': () => publishedLlmToolTestSchema(registeredParts),
  conversation: () => conversationSchema,
  'mcp-server': () => mcpServerSchema,
  config: () => configSchema,
  judge: () => judgeInputSchema,
  attacks: () => attackSuiteSchema,
} satisfies Readonly<Record<string, () => z.ZodType>>;

/** The other targets have scenarios of other kinds. */
function callTargets() {
  return registeredParts.targets.filter(({ callKey }) => callKey !== null);
}

/** A kind of file that has a JSON Schema. */
export type FileSchemaName = keyof typeof schemas;

/** Every kind of file that has a JSON Schema. */
export const fileSchemaNames = Object.keys(schemas) as readonly FileSchemaName[];

/** The JSON Schema of such a file as users write it. */
export function fileJsonSchema(name: FileSchemaName): Record<string, unknown> {
  return writtenJsonSchema(schemas[name]());
}

/** The JSON Schema of what users write. */
export function writtenJsonSchema(schema: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: asWritten });
}

function asWritten({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }): void {
  withoutInferredKeys(jsonSchema);
  withTexts(jsonSchema);
}

/** Keys that files may leave out are not required. */
function withoutInferredKeys(jsonSchema: Record<string, unknown>): void {
  const { properties, required } = jsonSchema as {
    readonly properties?: Record<string, Record<string, unknown>>;
    readonly required?: string[];
  };
  for (const [key, schema] of Object.entries(properties ?? {})) {
    if (schema.isInferred !== inferredKey.isInferred) continue;
    delete schema.isInferred;
    jsonSchema.required = (required ?? []).filter((name) => name !== key);
  }
}

/** A value that may also be written as text becomes a choice between the two. */
function withTexts(jsonSchema: Record<string, unknown>): void {
  const { alsoText: isMarked, description, default: usual, ...written } = jsonSchema;
  if (isMarked !== alsoText.alsoText) return;
  for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
  Object.assign(jsonSchema, {
    ...(description !== undefined && { description }),
    ...(usual !== undefined && { default: usual }),
    anyOf: [{ type: 'string', minLength: 1 }, written],
  });
}
