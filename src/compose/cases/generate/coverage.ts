import type { ListedTool } from '../../../mcp-check/definitions/listed-server.ts';
import { argumentsOf } from '../../../mcp-check/definitions/tool-arguments.ts';
import type { GeneratedCall, GeneratedPrompt, ToolSurface } from './generated-case.ts';

/** How far the cases cover one tool. */
export interface ToolCoverage {
  readonly tool: string;
  readonly calls: number;
  readonly prompts: number;
  /** Arguments that a case uses, of all. */
  readonly argumentsUsed: number;
  readonly argumentsTotal: number;
  readonly unusedArguments: readonly string[];
  readonly boundaries: number;
  readonly errorPaths: number;
  /** Why the tool has no cases, or fewer; null where nothing is to be said. */
  readonly note: string | null;
}

/** The coverage of every tool, those without cases included. */
export function coverageOf(
  { tools, leftOut }: ToolSurface,
  calls: readonly GeneratedCall[],
  prompts: readonly GeneratedPrompt[],
  notes: ReadonlyMap<string, string>,
): ToolCoverage[] {
  return tools.map((tool) => {
    const ownCalls = calls.filter((call) => call.tool === tool.name);
    const ownPrompts = prompts.filter((prompt) => prompt.tool === tool.name);
    const used = usedArguments(ownCalls, ownPrompts);
    const names = argumentNames(tool);
    return {
      tool: tool.name,
      calls: ownCalls.length,
      prompts: ownPrompts.length,
      argumentsUsed: names.filter((name) => used.has(name)).length,
      argumentsTotal: names.length,
      unusedArguments: names.filter((name) => !used.has(name)),
      boundaries: ownCalls.filter(({ label }) => label === 'boundary').length,
      errorPaths: ownCalls.filter(({ label }) => label === 'error-path').length,
      note: leftOut.get(tool.name) ?? notes.get(tool.name) ?? null,
    };
  });
}

function argumentNames(tool: ListedTool): string[] {
  return [...new Set(argumentsOf(tool).map(({ name }) => name))];
}

/** Arguments of calls that are to be refused are not covered by them. */
function usedArguments(calls: readonly GeneratedCall[], prompts: readonly GeneratedPrompt[]): ReadonlySet<string> {
  const good = calls.filter(({ label }) => label !== 'error-path');
  return new Set([...good, ...prompts].flatMap(({ args = {} }) => Object.keys(args)));
}
