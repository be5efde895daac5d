import { environmentVariables, trialVariables } from '../../src/compose/environment-variables.ts';
import { agentKinds } from '../../src/drive/agents/index.ts';
import { providers } from '../../src/drive/models/providers/index.ts';
import { code, codes, page, section, sentence, table } from './markdown.ts';

/** Every environment variable that Assay reads, and those that it sets for programs it starts. */
export function environmentPage(): string {
  return page(
    'Environment variables',
    'Variables that Assay reads, passes on and sets.',
    section(2, 'Read by Assay', variablesTable(environmentVariables)),
    section(
      2,
      'Read for model providers',
      'The first variable that is set gives the key. `models.providers` of the [config file](config.md#models) takes precedence.',
      table(
        ['provider', 'key', 'base URL'],
        providers.map(({ name, keyVariables, baseUrlVariable, environment }) => [
          code(name),
          codes([...keyVariables, ...(environment?.credentialVariables ?? [])]),
          codes([
            ...(baseUrlVariable === undefined ? [] : [baseUrlVariable]),
            ...(environment?.addressVariables ?? []),
          ]),
        ]),
      ),
    ),
    section(
      2,
      'Passed on to agents',
      'An agent gets these variables of your environment and no others. `agents.<name>.env` of the config adds more.',
      table(
        ['agent', 'variables'],
        agentKinds
          .filter(({ inheritedVariables }) => inheritedVariables.length > 0)
          .map(({ name, inheritedVariables }) => [code(name), codes(inheritedVariables)]),
      ),
    ),
    section(2, 'Set for programs that Assay starts', variablesTable(trialVariables)),
  );
}

function variablesTable(variables: Readonly<Record<string, string>>): string {
  return table(
    ['variable', 'meaning'],
    Object.entries(variables).map(([name, meaning]) => [code(name), sentence(meaning)]),
  );
}
