import { basename } from 'node:path';
import type { Problem } from '../../../../domain/problem.ts';
import type { CliToolConfig } from '../../../../drive/targets/agent-task/task-config.ts';
import { didYouMean } from '../../../../shared/suggest.ts';
import type { LlmToolTestFile, LlmToolTestReading } from './llm-tool-test-schema.ts';

/** Rules for programs that are not under test, or that cannot be followed where the trial runs. */
export function controlProblems(
  { tools, isolation }: LlmToolTestFile,
  { binary, binaries }: CliToolConfig,
  { source }: LlmToolTestReading,
): Problem[] {
  if (tools === undefined) return [];
  const programs = [...(binary === undefined ? [] : [binary]), ...binaries].map((program) => basename(program));
  const unknown = Object.keys(tools).filter((name) => !programs.includes(name));
  const problems: Problem[] = unknown.map((name) => ({
    at: source.locateKey(['tools'], name),
    message: `\`${name}\` is not a program under test`,
    hint: didYouMean(name, programs) ?? `Known: \`${programs.join('`, `')}\`.`,
  }));
  if (isolation === 'container')
    problems.push({ at: source.locateKey([], 'tools'), message: '`tools` cannot be used with `isolation: container`' });
  return problems;
}
