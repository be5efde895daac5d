import * as z from 'zod';
import { judgeInputSchema } from '../domain/judge-protocol.ts';
import { conversationSchema } from '../scenarios/formats/conversation/conversation-schema.ts';
import { llmToolTestSchema } from '../scenarios/formats/llm-tool-test/llm-tool-test-schema.ts';
import { mcpServerSchema } from '../scenarios/formats/mcp-server/mcp-server-schema.ts';
import { callEvaluators, nativeSchema } from '../scenarios/formats/native-schema.ts';
import { configSchema } from './config-schema.ts';
import { registeredParts } from './parts.ts';

const schemas = {
  scenario: () =>
    nativeSchema(
      { evaluators: callEvaluators(registeredParts.evaluators) },
      z.union(registeredParts.targets.map((kind) => kind.configSchema)),
    ),
  'cli-tool': () => llmToolTestSchema(registeredParts, {}),
  conversation: () => conversationSchema,
  'mcp-server': () => mcpServerSchema,
  config: () => configSchema,
  judge: () => judgeInputSchema,
} satisfies Readonly<Record<string, () => z.ZodType>>;

/** A kind of file that has a JSON Schema. */
export type FileSchemaName = keyof typeof schemas;

/** Every kind of file that has a JSON Schema. */
export const fileSchemaNames = Object.keys(schemas) as readonly FileSchemaName[];

/** The JSON Schema of what people write into such a file. */
export function fileJsonSchema(name: FileSchemaName): Record<string, unknown> {
  return z.toJSONSchema(schemas[name](), { io: 'input', unrepresentable: 'any' });
}
