import type { PartSpec } from '../../domain/scenario.ts';
import { isRecord } from '../../shared/json.ts';
import { problemOfJsonPath } from '../../shared/json-path.ts';
import { problemOfPattern } from '../../shared/patterns.ts';
import { problemOfAssertion } from './checks/assertion.ts';
import { shortened } from './checks/excerpt.ts';

/** What is written in a gate that can only fail, whatever the agent does: worth knowing before anything is spent. */
export async function gateWarnings({ type, config }: PartSpec): Promise<string[]> {
  if (!isRecord(config)) return [];
  const { command, path, pattern, assertion } = config;
  const found: (string | undefined)[] = [];
  if (typeof command === 'string' && command.trim() === '') found.push('Empty command');
  if (typeof pattern === 'string') found.push(told('regex pattern', pattern, problemOfPattern(pattern)));
  if (typeof assertion === 'string') found.push(told('assertion', assertion, problemOfAssertion(assertion)));
  if (type === 'command_json_path' && typeof path === 'string') {
    found.push(told('JSON path', path, await problemOfJsonPath(path)));
  }
  return found.filter((warning) => warning !== undefined).map((warning) => `${type}: ${warning}`);
}

function told(what: string, written: string, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `Invalid ${what} '${shortened(written)}': ${problem}`;
}
