import { basename } from 'node:path';
import type { Problem } from '../../../../domain/problem.ts';
import { listedFaults } from '../../../../domain/tool-control/faults.ts';
import type { CliToolConfig } from '../../../../drive/targets/agent-task/task-config.ts';
import { didYouMean } from '../../../../shared/suggest.ts';
import { faultProblems } from '../faults-section.ts';
import type { LlmToolTestFile, LlmToolTestReading } from './llm-tool-test-schema.ts';

/** Rules for programs that are not under test, or that cannot be followed where the trial runs. */
export function controlProblems(
  { tools = {}, faults, isolation, mcp_servers }: LlmToolTestFile,
  { binary, binaries }: CliToolConfig,
  { source }: LlmToolTestReading,
): Problem[] {
  const programs = [...(binary === undefined ? [] : [binary]), ...binaries].map((program) => basename(program));
  const unknown = Object.keys(tools).filter((name) => !programs.includes(name));
  const problems: Problem[] = unknown.map((name) => ({
    at: source.locateKey(['tools'], name),
    message: `\`${name}\` is not a program under test`,
    hint: didYouMean(name, programs) ?? `Known: \`${programs.join('`, `')}\`.`,
  }));
  const servers = Object.keys(mcp_servers);
  const hasTools = programs.length > 0;
  const borders = {
    usual: 'cli',
    ...(hasTools && { cli: { tools: programs } }),
    ...(servers.length > 0 && { mcp: { servers } }),
    model: {},
  } as const;
  problems.push(...faultProblems(faults, borders, source));
  if (isolation !== 'container') return problems;
  const breaksPrograms = listedFaults(faults ?? []).some(({ fault: { border = 'cli' } }) => border === 'cli');
  const unusable = [...(Object.keys(tools).length > 0 ? ['tools'] : []), ...(breaksPrograms ? ['faults'] : [])];
  for (const key of unusable) {
    const message = `\`${key}\`${key === 'faults' ? ' of programs' : ''} cannot be used with \`isolation: container\``;
    problems.push({ at: source.locateKey([], key), message });
  }
  return problems;
}
