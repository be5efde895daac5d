import type { Problem } from '../../../../domain/problem.ts';
import type { ParsedSource } from '../../../sources/parsed-source.ts';
import type { LlmToolTestFile } from './llm-tool-test-schema.ts';
import type { Reading } from './reading.ts';
import { missingKey } from './tolerant-parse.ts';

/** The program under test, once the scenario, the config and the command line have been heard. */
export interface ResolvedTarget {
  readonly binary: string;
  readonly commandPattern: string | undefined;
  readonly healthCheck: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly inputs?: readonly string[];
}

type Section = LlmToolTestFile['target'];

const configHint = 'Add `target: { binary: … }`, or a `[target]` to llm-tool-test-config.toml.';

/** The target of a scenario; the config fills in what is left open about the same program. */
export async function resolveTarget(section: Section, reading: Reading): Promise<ResolvedTarget | undefined> {
  const { source, defaults, found } = reading;
  const own = typeof section === 'object' ? section : undefined;
  const binary = defaults.targetBinary ?? own?.binary ?? defaults.target?.binary;
  if (binary === undefined) {
    found.problems.push(noBinary(section, source));
    return undefined;
  }
  const isShared = own?.binary === undefined || own.binary === defaults.target?.binary;
  const shared = isShared ? defaults.target : undefined;
  const commandPattern = filled(own?.command_pattern) ?? filled(shared?.command_pattern);
  const inputs = own?.inputs ?? shared?.inputs;
  if (commandPattern !== undefined) await checkPattern(commandPattern, reading);
  return {
    binary,
    commandPattern,
    healthCheck: filled(own?.health_check) ?? filled(shared?.health_check),
    env: { ...shared?.env, ...own?.env },
    ...(inputs && { inputs }),
  };
}

/** A pattern that cannot be used has always meant that no commands are found, which is hardly what is wanted. */
async function checkPattern(pattern: string, { source, found }: Reading): Promise<void> {
  const { problemOfPattern } = await import('../../../../shared/patterns.ts');
  const reason = problemOfPattern(pattern);
  if (reason === undefined) return;
  const message = `the command pattern cannot be used, so it finds no commands: ${reason}`;
  found.warnings.push({ at: source.locate(['target', 'command_pattern']), message });
}

function noBinary(section: Section, source: ParsedSource): Problem {
  if (section === undefined) return missingKey(source, [], 'target', configHint);
  if (typeof section === 'object') return missingKey(source, ['target'], 'binary', configHint);
  const message = '`target` is `from_config`, but the config names no target';
  return { at: source.locate(['target']), message, hint: configHint };
}

function filled(text: string | undefined): string | undefined {
  return text?.trim() ? text : undefined;
}
