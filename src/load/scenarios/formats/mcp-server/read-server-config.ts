import type { Problem } from '../../../../domain/problem.ts';
import type { DataPath, ParsedSource } from '../../../sources/parsed-source.ts';
import type { Findings } from '../llm-tool-test/findings.ts';
import { parseTolerantly } from '../llm-tool-test/tolerant-parse.ts';
import { expandConfig } from './expand-config.ts';
import { listedTests } from './listed-tests.ts';
import { type McpServerConfig, mcpServerSchema, suiteKinds } from './mcp-server-schema.ts';
import { startupWarnings } from './startup-warnings.ts';
import { unusablePatterns } from './unusable-patterns.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Keys that decide what is tested and judged. */
const decidingKeys = [...suiteKinds.map(({ key }) => key), 'workflows', 'llmJudge'];

/** The earlier program dropped unknown keys; in suites and workflows they may be misspelt expectations. */
function isTolerant(path: DataPath): boolean {
  return path.length === 0 || path[0] === 'server';
}

/** Checks a config; undefined after what is wrong with it was told. */
export function readServerConfig(source: ParsedSource, env: Environment, found: Findings): McpServerConfig | undefined {
  const { value, warnings } = expandConfig(source, env);
  const config = parseTolerantly({ schema: mcpServerSchema, value, source, isTolerant, decidingKeys }, found);
  if (!config) return undefined;
  if (config.workflows.length === 0 && suiteKinds.every(({ key }) => config[key].length === 0)) {
    const message = 'Configuration must include workflows, toolHealthSuites';
    found.problems.push({
      at: source.locate([]),
      message,
      hint: 'Add an entry to `workflows`, to `toolHealthSuites` or to another list of suites.',
    });
    return undefined;
  }
  found.problems.push(...emptySuites(config, source), ...unusablePatterns(config, source));
  found.warnings.push(...warnings, ...startupWarnings(config, source));
  return config;
}

/** A suite without tests would pass whatever the server does. */
function emptySuites(config: McpServerConfig, source: ParsedSource): Problem[] {
  const testedKinds = suiteKinds.filter(({ part }) => part !== 'oauth2');
  return testedKinds.flatMap(({ key }) =>
    config[key].flatMap((suite, index) =>
      listedTests(suite).length > 0
        ? []
        : [
            {
              at: source.locate([key, index]),
              message: `the suite "${suite.name}" has no tests`,
              hint: 'Add a test, or remove the suite.',
            },
          ],
    ),
  );
}
