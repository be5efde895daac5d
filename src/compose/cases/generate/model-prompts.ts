import * as z from 'zod';
import { encodeData } from '../../../drive/models/prompting/encode-data.ts';
import { contentNonce, raiseFence } from '../../../drive/models/prompting/fence.ts';
import { templateOf } from '../../../drive/models/prompting/template.ts';
import { checkableSchema } from '../../../mcp-check/arguments/schema-parts.ts';
import type { ListedTool } from '../../../mcp-check/definitions/listed-server.ts';
import { redactDeep } from '../../../shared/redaction/redaction.ts';
import { printable } from '../../../shared/text.ts';
import { projectRedaction } from '../../config/redaction.ts';
import { type Arguments, type GeneratedPrompt, type ToolSurface, usableTools } from './generated-case.ts';
import { type ModelOptions, modelReply } from './model-reply.ts';
import templateText from './prompts/generate-cases.v1.md?raw';

const template = templateOf(templateText);
const perTool = 3;
const longestText = 1_000;

const replySchema = z.object({
  cases: z.array(
    z.object({ tool: z.string().nullable(), text: z.string(), args: z.record(z.string(), z.unknown()).optional() }),
  ),
});

interface ModelPrompts {
  readonly prompts: readonly GeneratedPrompt[];
  /** Replies that name an unknown tool or arguments that do not fit it. */
  readonly rejected: number;
  readonly costUsd: number | null;
}

/** Requests that a model words; each is checked against the tools before it counts. */
export async function modelPrompts(surface: ToolSurface, options: ModelOptions): Promise<ModelPrompts> {
  const { project, env } = options;
  const tools = redactDeep(usableTools(surface).map(shownTool), projectRedaction(project, env));
  const lines = tools.map((tool) => encodeData(tool));
  const content = template({ data: raiseFence(lines, contentNonce).wrap(lines), perTool: String(perTool) });
  const { value, costUsd } = await modelReply(replySchema, content, options);
  const { cases } = value;
  const counts = new Map<string, number>();
  const prompts = cases.flatMap((written): GeneratedPrompt[] => checkedPrompt(written, surface, counts));
  return { prompts, rejected: cases.length - prompts.length, costUsd };
}

function shownTool({ name, description, inputSchema }: ListedTool) {
  return { name, description, inputSchema };
}

function checkedPrompt(
  { tool: name, text, args }: z.infer<typeof replySchema>['cases'][number],
  surface: ToolSurface,
  counts: Map<string, number>,
): GeneratedPrompt[] {
  const tool = usableTools(surface).find((each) => each.name === name);
  const words = printable(text).trim();
  if (words === '' || words.length > longestText || (name !== null && (!tool || !areArguments(tool, args)))) return [];
  const number = (counts.get(name ?? '') ?? 0) + 1;
  counts.set(name ?? '', number);
  if (!tool)
    return [
      {
        label: 'negative',
        title: `no tool should be used, by model ${number}`,
        text: words,
        tool: undefined,
        isFromModel: true,
      },
    ];
  return [
    {
      label: 'paraphrase',
      title: `by model ${number}`,
      text: words,
      tool: tool.name,
      isFromModel: true,
      ...(args && Object.keys(args).length > 0 && { args }),
    },
  ];
}

/** Arguments may be left out, but those that are there must fit. */
function areArguments({ inputSchema }: ListedTool, args: Arguments | undefined): boolean {
  const schema = checkableSchema(inputSchema);
  if (!schema || args === undefined) return true;
  return schema.problemsIn(args).every((problem) => /required|missing/i.test(problem));
}
