import type { Problem } from '../../../../domain/problem.ts';
import type { PartSpec } from '../../../../domain/scenario.ts';
import { performanceOf, type ServerLimits, uncheckedPerformanceKeys } from '../../../../domain/server-performance.ts';
import type { ParsedSource } from '../../../sources/parsed-source.ts';
import type { McpServerConfig } from './mcp-server-schema.ts';

type Config = Pick<McpServerConfig, 'performance' | 'concurrent' | 'toolHealthSuites'>;

/** The evaluators that the `performance` key adds to each suite. */
export function performanceEvaluators(meaning: ReturnType<typeof performanceOf>): PartSpec[] {
  if (!meaning) return [];
  const { limits, monitor } = meaning;
  const metric = { type: 'server-performance', config: {} };
  // Repeated calls that cannot be finished must not pass, whether or not anything is limited.
  const isJudged = Object.keys(limits).length > 0 || monitor.repeatCalls > 0;
  return isJudged ? [{ type: 'server-limits', config: limits }, metric] : [metric];
}

/** Settings with which nothing could be measured. */
export function performanceProblems({ performance, concurrent }: Config, source: ParsedSource): Problem[] {
  if (!performanceOf(performance) || !concurrent) return [];
  const message = '`performance` cannot be measured while suites use the server at the same time';
  return [{ at: source.locate(['performance']), message, hint: 'Remove `concurrent` or `performance`.' }];
}

/** Keys and limits that are read and cannot have an effect. */
export function performanceWarnings(config: Config, source: ParsedSource): Problem[] {
  const { performance } = config;
  if (typeof performance !== 'object') return [];
  const unchecked = uncheckedPerformanceKeys.flatMap((key) => {
    if (performance[key] === undefined) return [];
    const message = `\`${key}\` is not checked: the heap of another process cannot be seen`;
    return [{ at: source.locate(['performance', key]), message, hint: 'Use `maxRssMB` instead.' }];
  });
  return [...unchecked, ...unknownTools(performance.tools ?? {}, config, source)];
}

/** A tool that no test calls is never measured, so its limits hold for nothing. */
function unknownTools(tools: NonNullable<ServerLimits['tools']>, config: Config, source: ParsedSource): Problem[] {
  const called = new Set(config.toolHealthSuites.flatMap(({ tests }) => tests.map(({ name }) => name)));
  return Object.keys(tools)
    .filter((tool) => !called.has(tool))
    .map((tool) => ({
      at: source.locate(['performance', 'tools', tool]),
      message: `no test calls the tool "${tool}", so its latency is not measured`,
    }));
}
