import type { ListedTool } from '../../../mcp-check/definitions/listed-server.ts';
import { argumentsOf } from '../../../mcp-check/definitions/tool-arguments.ts';
import type { SecretPlaceholders } from '../../starters/secret-placeholders.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** Purpose of a call: arguments as usual, at a limit of the schema, or outside of it. */
type CallLabel = 'usual' | 'boundary' | 'error-path';

/** One direct call of a tool. */
export interface GeneratedCall {
  readonly tool: string;
  readonly label: CallLabel;
  /** Such as `limit at its maximum`. */
  readonly title: string;
  readonly args: Arguments;
  /** Of a CLI tool: its command line without the program. */
  readonly argv?: readonly string[] | undefined;
  /** Of a CLI tool: what the call was seen to do, and a text that it printed. */
  readonly criteria?: readonly string[] | undefined;
  readonly printed?: string | undefined;
  /** Of an MCP tool: further keys of its test, by what it was seen to return. */
  readonly expected?: Readonly<Record<string, unknown>> | undefined;
}

/** Purpose of a request. */
type PromptLabel = 'use' | 'paraphrase' | 'ambiguous' | 'negative';

/** One request of a user to an agent that has the tools. */
export interface GeneratedPrompt {
  readonly label: PromptLabel;
  readonly title: string;
  readonly text: string;
  /** The tool that must be called; undefined where none should be. */
  readonly tool: string | undefined;
  /** Arguments that the call must have. */
  readonly args?: Arguments | undefined;
  /** A text in the output of the command. */
  readonly printed?: string | undefined;
  /** A similar tool that must not be called. */
  readonly avoids?: string | undefined;
  readonly isFromModel?: boolean;
}

/** Tools that cases are generated from, whatever they are behind. */
export interface ToolSurface {
  /** For titles and file names. */
  readonly name: string;
  readonly tools: readonly ListedTool[];
  /** Why a tool is not used, by its name: it may change something. */
  readonly leftOut: ReadonlyMap<string, string>;
}

/** The tools that may be used. */
export function usableTools({ tools, leftOut }: ToolSurface): readonly ListedTool[] {
  return tools.filter(({ name }) => !leftOut.has(name));
}

/** A file to write. */
export interface GeneratedFile {
  /** Name in the folder of the generated files. */
  readonly name: string;
  /** Data of a scenario file, or the text of another one. */
  readonly content: Readonly<Record<string, unknown>> | string;
}

/** Where cases come from, and how they are written. */
export interface CaseSource {
  readonly surface: ToolSurface;
  readonly calls: readonly GeneratedCall[];
  /** Requests of users that the scenarios of the source can hold. */
  readonly prompts: readonly GeneratedPrompt[];
  /** A request with what its answer has to show; undefined where that is not known. Absent: as it is. */
  readonly provable?: (prompt: GeneratedPrompt) => GeneratedPrompt | undefined;
  /** Remarks about single tools, by name. */
  readonly notes: ReadonlyMap<string, string>;
  /** Variables that stand for secrets in the files; absent: none. */
  readonly variables?: SecretPlaceholders['variables'];
  files(calls: readonly GeneratedCall[], prompts: readonly GeneratedPrompt[]): readonly GeneratedFile[];
}

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
