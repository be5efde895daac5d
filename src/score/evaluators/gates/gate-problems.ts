import type { PartSpec } from '../../../domain/scenario.ts';
import { isRecord } from '../../../shared/json.ts';
import { problemOfJsonPath } from '../../../shared/json-path/json-path.ts';
import { problemOfPattern } from '../../../shared/patterns.ts';
import { shortened } from '../excerpt.ts';
import { problemOfAssertion } from '../json-assertion.ts';

/** Something in the config of a gate that cannot be evaluated, whatever the agent does. */
export interface GateProblem {
  /** The key of the config that holds it. */
  readonly key: 'command' | 'pattern' | 'assertion' | 'path';
  readonly message: string;
}

/** Everything in a gate that can only fail: it says nothing about the work, so it is refused before money is spent. */
export async function gateProblems({ type, config }: PartSpec): Promise<GateProblem[]> {
  if (!isRecord(config)) return [];
  const { command, path, pattern, assertion } = config;
  const found: (GateProblem | undefined)[] = [];
  if (typeof command === 'string' && command.trim() === '') found.push({ key: 'command', message: 'Empty command' });
  if (typeof pattern === 'string') found.push(invalid('pattern', 'regex pattern', pattern, problemOfPattern(pattern)));
  if (typeof assertion === 'string') {
    found.push(invalid('assertion', 'assertion', assertion, problemOfAssertion(assertion)));
  }
  if (type === 'command_json_path' && typeof path === 'string') {
    found.push(invalid('path', 'JSON path', path, await problemOfJsonPath(path)));
  }
  return found
    .filter((problem) => problem !== undefined)
    .map(({ key, message }) => ({ key, message: `${type}: ${message}` }));
}

function invalid(
  key: GateProblem['key'],
  what: string,
  written: string,
  problem: string | undefined,
): GateProblem | undefined {
  return problem === undefined ? undefined : { key, message: `Invalid ${what} '${shortened(written)}': ${problem}` };
}
