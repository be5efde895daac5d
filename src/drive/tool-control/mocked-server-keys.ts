import * as z from 'zod';
import { templateProblems } from '../../domain/tool-control/mock-templates.ts';
import { listedMocks, toolMocksSchema } from '../../domain/tool-control/mocks.ts';
import { refineStates } from '../../domain/tool-control/simulate.ts';
import { problemOfJsonSchema } from '../../shared/json-schema/json-schema.ts';
import { lazySchema } from '../../shared/lazy-schema.ts';
import { contradictionOf } from './check-mock.ts';

const jsonObject = lazySchema(() => z.record(z.string(), z.unknown()));

const mockedToolSchema = lazySchema(() =>
  z
    .strictObject({
      title: z.string().optional().describe('name for people'),
      description: z.string().optional().describe('what the tool does, as the model reads it'),
      inputSchema: jsonObject
        .default({ type: 'object' })
        .describe('JSON Schema of the arguments; calls that break it get an error'),
      outputSchema: jsonObject.optional().describe('JSON Schema of the results'),
      annotations: jsonObject.optional().describe('hints such as `readOnlyHint`'),
      answers: toolMocksSchema.describe('what it answers: one answer, or a list of which the first that fits is given'),
    })
    .superRefine((tool, context) => {
      for (const { path, message, hint } of toolProblems(tool))
        context.addIssue({ code: 'custom', path: [...path], message, params: { hint } });
    }),
);
export type MockedTool = z.output<typeof mockedToolSchema>;

interface ToolProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Schemas that cannot be used, and answers that contradict them. */
function toolProblems(tool: Pick<MockedTool, 'inputSchema' | 'outputSchema' | 'answers'>): ToolProblem[] {
  const unusable = (['inputSchema', 'outputSchema'] as const).flatMap((key): ToolProblem[] => {
    const problem = tool[key] === undefined ? undefined : problemOfJsonSchema(tool[key]);
    return problem ? [{ path: [key, ...problem.path], message: problem.message, hint: problem.hint }] : [];
  });
  if (unusable.length > 0) return unusable;
  return listedMocks(tool.answers).flatMap(({ mock, path }): ToolProblem[] => {
    if (mock.real) return [{ path: ['answers', ...path, 'real'], message: 'a mocked server has no real tool' }];
    const problem = contradictionOf(mock, tool);
    return problem ? [{ path: ['answers', ...path, ...problem.path], message: problem.message }] : [];
  });
}

const mockedResourceSchema = lazySchema(() =>
  z.strictObject({
    name: z.string().optional().describe('name of the resource; by default its URI'),
    title: z.string().optional().describe('name for people'),
    description: z.string().optional().describe('what it holds'),
    mimeType: z.string().optional().describe('type of the content; text/plain by default'),
    text: z.string().describe('content'),
  }),
);

const mockedPromptSchema = lazySchema(() =>
  z
    .strictObject({
      title: z.string().optional().describe('name for people'),
      description: z.string().optional().describe('what the prompt is for'),
      arguments: z
        .array(
          z.strictObject({
            name: z.string().min(1).describe('name of the argument'),
            description: z.string().optional().describe('what it means'),
            required: z.boolean().optional().describe('whether a prompt without it is refused'),
          }),
        )
        .default([])
        .describe('its arguments'),
      messages: z
        .array(
          z.strictObject({
            role: z.enum(['user', 'assistant']).default('user').describe('who says it'),
            text: z.string().describe('text of the message'),
          }),
        )
        .min(1)
        .describe('messages, in which `{{args.name}}` is an argument'),
    })
    .superRefine(({ messages }, context) => {
      for (const { path, message, column } of templateProblems(messages, ['messages']))
        context.addIssue({ code: 'custom', path: [...path], message, params: { column } });
    }),
);
export type MockedPrompt = z.output<typeof mockedPromptSchema>;

/** An MCP server that exists only as data: what it offers, and what it answers. */
export const mockedServerKeys = () => ({
  name: z.string().min(1).default('mock').describe('name that the server reports'),
  version: z.string().default('0').describe('version that the server reports'),
  instructions: z.string().optional().describe('instructions of the server for the model'),
  tools: z
    .record(z.string().min(1), mockedToolSchema)
    .superRefine((tools, context) =>
      refineStates(
        Object.values(tools).flatMap(({ answers }) => listedMocks(answers)),
        context,
      ),
    )
    .default({})
    .describe('its tools by name'),
  resources: z.record(z.string().min(1), mockedResourceSchema).default({}).describe('its resources by URI'),
  prompts: z.record(z.string().min(1), mockedPromptSchema).default({}).describe('its prompts by name'),
});
