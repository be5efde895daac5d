import { AssayError } from '../../../domain/errors.ts';
import { expandVariables, unsetVariables } from '../../../shared/variables.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Settings with every `${VAR}` replaced. One that is not set is refused: a tool that is given the placeholder would
 * answer with an error that says nothing about the tool.
 */
export function expandSettings(
  what: string,
  settings: Readonly<Record<string, string>>,
  env: Environment,
): Record<string, string> {
  for (const [name, text] of Object.entries(settings)) expandSetting(`${what} ${name}`, text, env);
  return expandVariables(settings, env);
}

/** The same for a single text. */
export function expandSetting(what: string, text: string, env: Environment): string {
  const unset = unsetVariables(text, env);
  if (unset.length === 0) return expandVariables(text, env);
  throw new AssayError('TARGET_NOT_LOADED', `The ${what} needs ${unset.join(', ')}, which is not set.`, {
    hint: `Set ${unset.join(', ')} in the environment.`,
  });
}
