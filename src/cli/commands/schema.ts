import * as z from 'zod';
import { configSchema } from '../../compose/config-schema.ts';
import { registeredParts } from '../../compose/parts.ts';
import { AssayError } from '../../domain/errors.ts';
import { judgeInputSchema } from '../../domain/judge-protocol.ts';
import { conversationSchema } from '../../scenarios/formats/conversation/conversation-schema.ts';
import { llmToolTestSchema } from '../../scenarios/formats/llm-tool-test/llm-tool-test-schema.ts';
import { mcpServerSchema } from '../../scenarios/formats/mcp-server/mcp-server-schema.ts';
import { callEvaluators, nativeSchema } from '../../scenarios/formats/native-schema.ts';
import { suggestion } from '../../shared/suggest.ts';
import type { CliCommand } from '../command.ts';
import { write } from '../context.ts';

const schemas: Readonly<Record<string, () => z.ZodType>> = {
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
};

/** `assay schema`: JSON Schemas for editors. */
export const schema: CliCommand = {
  configure(command) {
    command.argument('[file]', 'scenario, cli-tool, conversation, mcp-server, config or judge', 'scenario');
  },
  async run({ args, context }) {
    const name = args[0] ?? 'scenario';
    const make = schemas[name];
    if (!make)
      throw new AssayError('USAGE', `There is no schema "${name}".`, { hint: suggestion(name, Object.keys(schemas)) });
    const document = z.toJSONSchema(make(), { io: 'input', unrepresentable: 'any' });
    await write(context.stdout, `${JSON.stringify(document, null, 2)}\n`);
    return 0;
  },
};
