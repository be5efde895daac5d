import { type LoadResult, loadScenarios } from '../../../load/scenarios/load.ts';
import type { ScenarioDefaults, ScenarioParts } from '../../../load/scenarios/scenario-format.ts';

/** A config that uses every key. */
export const goodConfig = {
  $schema: 'x',
  name: 'n',
  description: 'd',
  server: {
    transport: 'stdio',
    command: 'node',
    args: ['server.mjs'],
    env: { MODE: 'test', API_KEY: '${API_KEY}' },
    cwd: '.',
  },
  toolHealthSuites: [
    {
      name: 'Health',
      description: 'd',
      tests: [
        {
          name: 'add',
          description: 'adds',
          args: { a: 1, b: [2, { c: '3' }] },
          expectedResult: { sum: 3 },
          match: 'subset',
          maxLatency: 100,
          retries: 2,
        },
        { name: 'divide', args: {}, expectedError: 'zero' },
      ],
      parallel: true,
      timeout: 500,
      tags: ['fast'],
      tier: 1,
      repeat: 2,
    },
  ],
  workflows: [
    {
      name: 'Sum',
      description: 'd',
      steps: [
        { user: 'Add 1 and 2', expectTools: ['add'], expectedState: '3' },
        { user: 'And again', expectTools: ['add', 'add'] },
      ],
      expectTools: ['add', 'add'],
      order: 'subsequence',
      maxSteps: 3,
      system: 'Be brief',
      tags: ['model'],
    },
  ],
  resourceSuites: [
    {
      name: 'Resources',
      discoveryTests: [{ name: 'all', expectedCount: { min: 1, max: 5 }, expectedResources: ['a://b'] }],
      tests: [{ name: 'one', uri: 'a://b', expectedMimeType: 'text/plain', expectedContent: 'x', maxLatency: 5 }],
      templateTests: [{ name: 'filled', template: 'a://{b}', arguments: { b: 'c' }, expectedUri: 'a://c' }],
      subscriptionTests: [{ name: 'news', resourceUri: 'a://b', expectUpdates: true, timeout: 5 }],
      parallel: true,
      timeout: 5,
    },
  ],
  promptSuites: [
    {
      name: 'Prompts',
      tests: [{ name: 'greet', args: { who: 'Ada' }, expectedContent: ['Ada'], expectedMessages: [{ role: 'user' }] }],
      securityTests: [{ name: 'greet', maliciousInputs: ['<x>'], expectRejection: true }],
    },
  ],
  samplingSuites: [
    {
      name: 'Sampling',
      requestTests: [{ name: 'asks', tool: 'summarise', args: {}, simulateUserResponse: 'approve' }],
    },
  ],
  elicitationSuites: [
    { name: 'Questions', requestTests: [{ name: 'asks', tool: 'book', respond: { action: 'decline' } }] },
  ],
  oauth2Suites: [{ name: 'Login', authorizationCodeTests: [{ name: 'logs in', client: { clientId: 'tests' } }] }],
  timeout: 2_000,
  models: ['openai/a', 'anthropic/b'],
  wordings: { terse: { add: { name: 'plus', title: 't', description: 'adds', arguments: { a: 'one' } } } },
  llmJudge: true,
  openaiKey: '${OPENAI_API_KEY}',
  judgeModel: 'gpt-4o',
  passThreshold: 0.7,
  maxMessages: 10,
  judgeErrors: 'ignore',
  tags: ['mcp'],
  tier: 2,
  repeat: 3,
};

/** Loads files of a folder with what the command line and the environment say. */
export function loadConfigs(
  folder: string,
  paths: readonly string[],
  defaults: Partial<ScenarioDefaults> = {},
  parts: ScenarioParts = { targets: [], evaluators: [] },
): Promise<LoadResult> {
  return loadScenarios({
    paths,
    folder,
    parts,
    defaults: { timeoutSecs: 30, mcpServers: { env: {} }, ...defaults },
  });
}
