import type { ToolHealthSuite } from '../../domain/mcp-suites.ts';
import type { Scenario } from '../../domain/scenario.ts';

/** Names of the tests of a tool health suite, in the order of the file. */
export async function toolTestNames(scenario: Pick<Scenario, 'cases'>): Promise<string[]> {
  const names: string[] = [];
  for await (const { input } of scenario.cases()) {
    const { suite } = input as { readonly suite: ToolHealthSuite };
    names.push(...suite.tests.map(({ name, description }) => description ?? `${name} test`));
  }
  return names;
}
