import type { ReadScenario } from '../../scenario-format.ts';
import type { McpServerConfig, suiteKinds } from './mcp-server-schema.ts';
import type { Reading } from './reading.ts';
import { type ScenarioSection, scenarioBase, targetSpec, withoutScenarioKeys } from './scenario-base.ts';
import { suiteLimitMs } from './time-limits.ts';

type SuiteKind = (typeof suiteKinds)[number];

/** A suite as a scenario: it is run as a whole, because its tests may build on each other. */
export function suiteScenario(
  { key, part }: SuiteKind,
  section: ScenarioSection & { readonly timeout?: unknown },
  index: number,
  reading: Reading,
): ReadScenario {
  const { config, context, source, found } = reading;
  if (part === 'oauth2') {
    const message = `\`${key}\` are not supported yet: "${section.name}" is not run, and counts as not judged`;
    found.warnings.push({ at: source.locate([key, index]), message });
  }
  const suite = withoutScenarioKeys(section);
  const seconds = context.defaults.mcpServers?.timeoutSecs;
  const only = {
    caseId: 'suite',
    input: { kind: part, suite, ...(part === 'tool' && coverageKeys(index, config)) },
    expected: undefined,
    evaluators: [{ type: 'tool-health', config: {} }],
  };
  return {
    ...scenarioBase(section, part, only, reading),
    timeoutMs: seconds === undefined ? suiteLimitMs(suite, config.timeout) : seconds * 1_000,
    target: targetSpec('mcp-suite', { server: config.server, timeoutMs: config.timeout }, reading),
    judge: { models: [], samples: undefined },
    variants: [{}],
  };
}

/** Tools that no test calls are told once for the whole file, by its first suite. */
function coverageKeys(index: number, { toolHealthSuites }: McpServerConfig) {
  const others = toolHealthSuites.filter((_, other) => index === 0 && other !== index);
  const coveredElsewhere = others.flatMap(({ tests }) =>
    tests.map(({ name, args }) => ({ tool: name, args: Object.keys(args) })),
  );
  return { coveredElsewhere, reportsCoverage: index === 0 };
}
