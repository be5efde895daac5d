import type { SuiteInput } from './suite-input.ts';
import { coverageWarnings, type OfferedTool, type ToolCoverage, toolCoverage } from './tool-coverage.ts';
import type { TraceEventOf } from './trace.ts';

/** What the tests of a suite use of the server's tools, and what its author should know of that. */
export interface SuiteCoverage {
  /** Undefined where another suite of the same file tells it. */
  readonly coverage: ToolCoverage | undefined;
  readonly warnings: readonly string[];
}

/** The coverage of a suite of tools, together with what other suites of its file use; undefined for other suites. */
export function suiteCoverage(
  input: SuiteInput,
  tools: TraceEventOf<'mcp-server'>['tools'],
): SuiteCoverage | undefined {
  if (input.kind !== 'tool') return undefined;
  const offered: OfferedTool[] = tools.map(({ name, arguments: names = [] }) => ({ name, arguments: names }));
  const own = input.suite.tests.map(({ name, args }) => ({ tool: name, args: Object.keys(args) }));
  const { unknownTools } = toolCoverage(offered, own);
  const whole = { ...toolCoverage(offered, [...own, ...input.coveredElsewhere]), unknownTools };
  if (input.reportsCoverage) return { coverage: whole, warnings: coverageWarnings(whole, offered) };
  const unknownOnly = { ...whole, uncoveredTools: [], uncoveredArguments: {} };
  return { coverage: undefined, warnings: coverageWarnings(unknownOnly, offered) };
}
