import type { AgentKind, AgentSettings } from './agent.ts';
import { setVariables } from './set-variables.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of the user's environment and of the settings that an agent is given; it is given no others. */
export function agentEnvironment(kind: AgentKind, settings: AgentSettings, env: Environment): Record<string, string> {
  const inherited = kind.inheritedVariables.map((name) => [name, env[name]] as const);
  const keyVariable = kind.keyVariables[0];
  return {
    ...setVariables(Object.fromEntries(inherited)),
    ...(keyVariable === undefined ? {} : setVariables({ [keyVariable]: settings.apiKey })),
    ...settings.env,
  };
}
