import { didYouMean } from '../../shared/suggest.ts';

/** A tool as its server offers it, with the names of its arguments. */
export interface OfferedTool {
  readonly name: string;
  readonly arguments: readonly string[];
}

/** A tool that a test calls, and the arguments that it gives. */
export interface ToolUse {
  readonly tool: string;
  readonly args: readonly string[];
}

/** Share of a server's tools that tests use. */
export interface ToolCoverage {
  readonly toolCount: number;
  readonly coveredCount: number;
  readonly uncoveredTools: readonly string[];
  /** Of tools that are called: the arguments that no test gives. */
  readonly uncoveredArguments: Readonly<Record<string, readonly string[]>>;
  /** Named by tests, and not offered by the server. */
  readonly unknownTools: readonly string[];
}

/** Which tools and arguments some tests use, and which they leave out. */
export function toolCoverage(offered: readonly OfferedTool[], uses: readonly ToolUse[]): ToolCoverage {
  const given = new Map<string, Set<string>>();
  for (const { tool, args } of uses) {
    const available = given.get(tool) ?? new Set();
    for (const arg of args) available.add(arg);
    given.set(tool, available);
  }
  const names = new Set(offered.map(({ name }) => name));
  const uncoveredTools = [...names].filter((name) => !given.has(name));
  const leftOut = offered.flatMap(({ name, arguments: all }) => {
    const used = given.get(name);
    const missing = used ? all.filter((argument) => !used.has(argument)) : [];
    return missing.length > 0 ? [[name, missing] as const] : [];
  });
  return {
    toolCount: names.size,
    coveredCount: names.size - uncoveredTools.length,
    uncoveredTools,
    uncoveredArguments: Object.fromEntries(leftOut),
    unknownTools: [...given.keys()].filter((name) => !names.has(name)),
  };
}

/** More than these are not read. */
const mostNamed = 20;

/** Warnings about gaps in the coverage, one sentence each; empty when everything is covered. */
export function coverageWarnings(coverage: ToolCoverage, offered: readonly OfferedTool[]): string[] {
  const { toolCount, uncoveredTools, uncoveredArguments, unknownTools } = coverage;
  const names = offered.map(({ name }) => name);
  const unknown = unknownTools.map((name) =>
    [`The server has no tool "${name}", which a test calls.`, didYouMean(name, names)].filter(Boolean).join(' '),
  );
  const tools =
    uncoveredTools.length === 0
      ? []
      : [`No test calls ${uncoveredTools.length} of ${toolCount} tools: ${listed(uncoveredTools)}.`];
  const places = Object.entries(uncoveredArguments).flatMap(([tool, missing]) =>
    missing.map((arg) => `${tool}.${arg}`),
  );
  const args = places.length === 0 ? [] : [`No test gives these arguments: ${listed(places)}.`];
  return [...unknown, ...tools, ...args];
}

function listed(names: readonly string[]): string {
  const quoted = names.slice(0, mostNamed).map((name) => `\`${name}\``);
  const more = names.length - quoted.length;
  return more > 0 ? `${quoted.join(', ')} and ${more} more` : quoted.join(', ');
}
