import { sep } from 'node:path';
import { canonicalJson, isRecord } from '../../../shared/json.ts';
import type { Project } from '../../config/project.ts';
import { checkScenarios } from '../../run/check-scenarios.ts';

/** Equal for calls of a tool with the same arguments. */
export function callKey(tool: string, args: unknown): string {
  return `call ${canonicalJson([tool, args])}`;
}

/** Equal for requests that differ in spaces, case and punctuation only. */
export function promptKey(text: string): string {
  return `prompt ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()}`;
}

const mostCases = 10_000;

/** Keys of the cases that the project has outside of the folder of generated files. */
export async function existingKeys(
  project: Project,
  env: Readonly<Record<string, string | undefined>>,
  output: string,
): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  const { scenarios } = await checkScenarios(project.config.scenarios, project, env);
  for (const scenario of scenarios) {
    if (scenario.file.startsWith(`${output}${sep}`)) continue;
    let count = 0;
    for await (const { input } of scenario.cases()) {
      if (++count > mostCases) break;
      for (const key of keysOf(input)) keys.add(key);
    }
  }
  return keys;
}

function keysOf(input: unknown): string[] {
  if (typeof input === 'string') return [promptKey(input)];
  if (!isRecord(input)) return [];
  const { steps, suite } = input;
  const tests = isRecord(suite) ? suite.tests : undefined;
  const calls = (Array.isArray(tests) ? tests.filter(isRecord) : []).map(({ name, args }) =>
    callKey(String(name), args),
  );
  const prompts = (Array.isArray(steps) ? steps.filter(isRecord) : []).map(({ user }) => promptKey(String(user)));
  return [...calls, ...prompts];
}
