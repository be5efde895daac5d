import type { Problem } from '../../../../domain/problem.ts';
import { isRecord } from '../../../../shared/json.ts';
import { problemOfPattern } from '../../../../shared/patterns.ts';
import { expandVariables, mentionsVariables, unsetVariables } from '../../../../shared/variables.ts';
import type { DataPath, ParsedSource } from '../../../sources/parsed-source.ts';
import { faultProblems } from '../faults-section.ts';
import { type Findings, parseTolerantly } from '../tolerant-parse.ts';
import { listedTests, type McpServerConfig, mcpServerSchema, suiteKinds } from './mcp-server-schema.ts';
import { performanceProblems, performanceWarnings } from './performance-section.ts';
import { startupWarnings } from './server-warnings.ts';

/** Paths of secrets, which are expanded when they are used, so none is stored with a run. */
const expandedWhenUsed = ['openaiKey', 'server.headers', 'server.env', 'server.args'];

const oauthSecrets = ['clientSecret', 'accessToken', 'refreshToken'];

/** Replaces every `${VAR}` of a config except in secrets; an unset one stays. */
function expandConfig(source: ParsedSource, env: Readonly<Record<string, string | undefined>>) {
  const warnings: Problem[] = [];
  const expand = (part: unknown, path: DataPath): unknown => {
    if (typeof part === 'string') {
      if (path[0] !== 'openaiKey') warnings.push(...unsetIn(part, path, source, env));
      return isExpandedWhenUsed(path) ? part : expandVariables(part, env);
    }
    // Most of a config mentions none, and thousands of tests need not be copied for it.
    if (typeof part !== 'object' || part === null || !mentionsVariables(part)) return part;
    if (Array.isArray(part)) return part.map((item, index) => expand(item, [...path, index]));
    return Object.fromEntries(Object.entries(part).map(([key, inside]) => [key, expand(inside, [...path, key])]));
  };
  return { value: expand(source.value, []), warnings };
}

function isExpandedWhenUsed(path: DataPath): boolean {
  if (path[0] === 'oauth2Suites') return oauthSecrets.includes(String(path.at(-1)));
  return expandedWhenUsed.includes(path.slice(0, 2).map(String).join('.'));
}

function unsetIn(
  text: string,
  path: DataPath,
  source: ParsedSource,
  env: Readonly<Record<string, string | undefined>>,
): Problem[] {
  return [...new Set(unsetVariables(text, env))].map((name) => ({
    at: source.locateInString(path, text.indexOf(`\${${name}}`) + 1),
    message: `the environment variable \`${name}\` is not set, so it is not replaced`,
  }));
}

/** Regular expressions of suites that cannot be compiled, before any server is started. */
function unusablePatterns(config: McpServerConfig, source: ParsedSource): Problem[] {
  return writtenPatterns(config).flatMap(({ path, pattern }) => {
    const problem = problemOfPattern(pattern);
    if (problem === undefined) return [];
    return [{ at: source.locate(path), message: `invalid regular expression: ${problem}` }];
  });
}

interface WrittenPattern {
  readonly path: DataPath;
  readonly pattern: string;
}

/** Keys of tests that hold one regular expression, or several. */
const patternKeys = ['expectedPatterns', 'expectedUriPattern'];

function writtenPatterns({ promptSuites, resourceSuites }: McpServerConfig): WrittenPattern[] {
  return Object.entries({ promptSuites, resourceSuites }).flatMap(([key, suites]) =>
    suites.flatMap((suite, index) =>
      Object.entries(suite).flatMap(([list, tests]) =>
        (Array.isArray(tests) ? [...tests.entries()] : []).flatMap(([test, written]) =>
          patternsIn(written, [key, index, list, test]),
        ),
      ),
    ),
  );
}

function patternsIn(test: unknown, path: DataPath): WrittenPattern[] {
  if (!isRecord(test)) return [];
  return patternKeys.flatMap((key): WrittenPattern[] => {
    const written = test[key];
    if (typeof written === 'string') return [{ path: [...path, key], pattern: written }];
    return (Array.isArray(written) ? written : []).map((pattern, place) => ({ path: [...path, key, place], pattern }));
  });
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Keys that decide what is tested and judged. */
const decidingKeys = [
  ...suiteKinds.map(({ key }) => key),
  'workflows',
  'llmJudge',
  'performance',
  'tools',
  'faults',
  'approvals',
];

/** Parts of a mocked server, where a misspelt key would change an answer. */
const mockedParts: readonly PropertyKey[] = ['tools', 'resources', 'prompts'];

/** Unknown keys at the top and in `server` are ignored; in suites and workflows they may be misspelt expectations. */
function isTolerant(path: DataPath): boolean {
  return path.length === 0 || (path[0] === 'server' && !mockedParts.includes(path[1] ?? ''));
}

/** Checks a config; undefined after problems were reported. */
export function readServerConfig(source: ParsedSource, env: Environment, found: Findings): McpServerConfig | undefined {
  const { value, warnings } = expandConfig(source, env);
  const config = parseTolerantly({ schema: mcpServerSchema, value, source, isTolerant, decidingKeys }, found);
  if (!config) return undefined;
  if (config.workflows.length === 0 && suiteKinds.every(({ key }) => config[key].length === 0)) {
    const message = 'Configuration must include workflows or toolHealthSuites';
    found.problems.push({
      at: source.locate([]),
      message,
      hint: 'Add an entry to `workflows`, `toolHealthSuites` or another list of suites.',
    });
    return undefined;
  }
  found.problems.push(
    ...emptySuites(config, source),
    ...unusablePatterns(config, source),
    ...performanceProblems(config, source),
    ...approvalProblems(config, source),
    ...faultProblems(config.faults, bordersOf(config), source),
  );
  found.warnings.push(...warnings, ...startupWarnings(config, source), ...performanceWarnings(config, source));
  return config;
}

/** Tests of elicitation say themselves what their user answers. */
function approvalProblems({ approvals, workflows }: McpServerConfig, source: ParsedSource): Problem[] {
  if (approvals === undefined || workflows.length > 0) return [];
  const hint = 'Remove it, or add `workflows`; an elicitation suite has `respond` in each of its tests.';
  return [{ at: source.locateKey([], 'approvals'), message: '`approvals` answers in workflows only', hint }];
}

/** Where the scenarios of a file make calls; of a server that exists only as data, the tools are known. */
function bordersOf({ server, agents, workflows }: McpServerConfig) {
  const isMocked = server.transport === 'mock';
  const tools = isMocked ? Object.keys(server.tools) : undefined;
  const model = { isBare: !agents?.length };
  return { usual: 'mcp', mcp: { tools, hasMocked: isMocked }, ...(workflows.length > 0 && { model }) } as const;
}

/** Suites without tests, which would always pass. */
function emptySuites(config: McpServerConfig, source: ParsedSource): Problem[] {
  return suiteKinds.flatMap(({ key }) =>
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
