import { checkedSuiteInput, type SuiteInput } from '../../../../domain/mcp/suite-tests.ts';
import { performanceOf } from '../../../../domain/server-performance.ts';
import { below, type DataPath, type ParsedSource } from '../../../sources/parsed-source.ts';
import { type ReadContext, type ReadPart, type ReadScenario, trialLimitMs } from '../../scenario-format.ts';
import { withFaultSets } from '../faults-section.ts';
import { refuseUnknownNames, type WrittenName } from '../known-names.ts';
import type { Findings } from '../tolerant-parse.ts';
import { type McpServerConfig, type McpServerReading, suiteKinds, toolsOf } from './mcp-server-schema.ts';
import { performanceEvaluators } from './performance-section.ts';
import { readServerConfig } from './read-server-config.ts';
import { type ScenarioSection, scenarioBase, suiteLimitMs, targetSpec, withoutScenarioKeys } from './scenario-base.ts';
import { placeServer } from './server-warnings.ts';
import { workflowScenario } from './workflow-scenario.ts';

type SuiteKind = (typeof suiteKinds)[number];

/** A suite as a scenario: it runs as a whole, because its tests may depend on each other. */
function suiteScenario(
  { part }: SuiteKind,
  section: ScenarioSection & { readonly timeout?: unknown },
  index: number,
  reading: McpServerReading,
): ReadScenario {
  const { config, context } = reading;
  const suite = withoutScenarioKeys(section);
  const performance = performanceOf(config.performance);
  const only = {
    caseId: 'suite',
    input: checkedSuiteInput({
      kind: part,
      suite,
      ...(part === 'tool' && coverageKeys(index, config)),
    } as SuiteInput),
    expected: undefined,
    evaluators: [{ type: 'tool-health', config: {} }, ...performanceEvaluators(performance)],
  };
  return {
    ...scenarioBase(section, part, only, reading),
    timeoutMs: trialLimitMs(
      suiteLimitMs(suite, config.timeout, performance?.monitor.repeatCalls) / 1_000,
      context.defaults,
    ),
    target: targetSpec(
      'mcp-suite',
      { server: config.server, timeoutMs: config.timeout, ...(performance && { monitor: performance.monitor }) },
      reading,
    ),
    judge: { models: [], samples: undefined },
    variants: withFaultSets([{}], config.faults),
  };
}

/** Untested tools are reported once for the whole file, by its first suite. */
function coverageKeys(index: number, { toolHealthSuites }: McpServerConfig) {
  const others = toolHealthSuites.filter((_, other) => index === 0 && other !== index);
  const coveredElsewhere = others.flatMap(({ tests }) =>
    tests.map(({ name, args }) => ({ tool: name, args: Object.keys(args) })),
  );
  return { coveredElsewhere, reportsCoverage: index === 0 };
}

/** Reads a file about an MCP server: one scenario for each of its suites and workflows. */
export async function readMcpServer(source: ParsedSource, context: ReadContext): Promise<readonly ReadPart[]> {
  const found: Findings = { problems: [], warnings: [] };
  const written = readServerConfig(source, context.defaults.mcpServers?.env ?? {}, found);
  const parts = written ? scenariosOf(written, source, context, found) : [];
  const [first] = parts;
  if (!first || found.problems.length > 0) return [{ source, read: found.problems }];
  // Warnings about the file are reported once.
  return [{ ...first, read: { ...first.read, warnings: found.warnings } }, ...parts.slice(1)];
}

interface ScenarioPart extends ReadPart {
  readonly read: ReadScenario;
}

function scenariosOf(
  written: McpServerConfig,
  source: ParsedSource,
  context: ReadContext,
  found: Findings,
): ScenarioPart[] {
  const { server, warnings } = placeServer(written.server, source, context);
  found.warnings.push(...warnings);
  const reading: McpServerReading = { config: { ...written, server }, source, context, found, names: new Map() };
  refuseUnknownNames(namesIn(reading.config), toolsOf(reading.config), reading);
  return [
    ...suiteKinds.flatMap((kind) =>
      reading.config[kind.key].map((suite, index) => ({
        source: below(source, [kind.key, index]),
        read: suiteScenario(kind, suite, index, reading),
      })),
    ),
    ...reading.config.workflows.map((workflow, index) => ({
      source: below(source, ['workflows', index]),
      read: workflowScenario(workflow, index, reading),
    })),
  ];
}

/** Tools that suites call and workflows expect; that one is refused may be what a test wants. */
function namesIn({ toolHealthSuites, workflows }: McpServerConfig): WrittenName[] {
  const tested = toolHealthSuites.flatMap(({ tests }, suite) =>
    tests.flatMap(({ name, expectedError }, index) =>
      expectedError === undefined ? [{ name, path: ['toolHealthSuites', suite, 'tests', index, 'name'] }] : [],
    ),
  );
  const expected = (names: readonly string[] | undefined, path: DataPath): WrittenName[] =>
    (names ?? []).map((name, index) => ({ name, path: [...path, 'expectTools', index] }));
  const wanted = workflows.flatMap(({ expectTools, steps }, workflow) => [
    ...expected(expectTools, ['workflows', workflow]),
    ...steps.flatMap((step, index) => expected(step.expectTools, ['workflows', workflow, 'steps', index])),
  ]);
  return [...tested, ...wanted];
}
