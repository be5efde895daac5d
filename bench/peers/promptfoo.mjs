import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const results = 'results.json';

/** Its own assertions, one for each of ours. */
const described = {
  cheap: ({ cases }) => ({
    files: { 'provider.mjs': provider('JSON.stringify(add(JSON.parse(prompt)))', "import { add } from './tool.mjs';") },
    config: {
      providers: ['file://provider.mjs'],
      prompts: ['{"a": {{a}}, "b": {{b}}}'],
      defaultTest: {
        assert: [
          { type: 'javascript', value: 'JSON.parse(output).ok === true' },
          { type: 'javascript', value: 'JSON.parse(output).sum === context.vars.a + context.vars.b' },
          { type: 'javascript', value: "JSON.parse(output).message.includes('added')" },
        ],
      },
      tests: testsOf(cases, (index) => ({ a: index, b: index * 2 })),
    },
  }),
  http: ({ cases, url }) => ({
    files: {},
    config: {
      providers: [
        {
          id: url,
          config: {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: { messages: [{ role: 'user', content: '{{prompt}}' }] },
            transformResponse: 'json.message.content',
          },
        },
      ],
      prompts: ['Hello {{name}}'],
      defaultTest: {
        assert: [
          { type: 'contains', value: 'Hello' },
          { type: 'latency', threshold: 60_000 },
          { type: 'not-contains', value: 'sorry' },
        ],
      },
      tests: testsOf(cases, (index) => ({ name: `guest ${index}` })),
    },
  }),
  judged: ({ cases, url, delayMs }) => ({
    files: {
      'provider.mjs': provider(
        `wait(${delayMs}, 'the answer is blue')`,
        "import { setTimeout as wait } from 'node:timers/promises';",
      ),
    },
    config: {
      providers: ['file://provider.mjs'],
      prompts: ['{{question}}'],
      defaultTest: {
        assert: [{ type: 'llm-rubric', value: 'The answer is the word blue' }],
        options: {
          provider: { id: 'openai:chat:gpt-4o-mini', config: { apiBaseUrl: `${url}/v1`, apiKey: 'scripted-key' } },
        },
      },
      tests: testsOf(cases, (index) => ({ question: String(index) })),
    },
  }),
};

function provider(answer, imports) {
  return `${imports}
export default class {
  id() { return 'bench'; }
  async callApi(prompt) { return { output: await ${answer} }; }
}
`;
}

function testsOf(cases, variables) {
  return Array.from({ length: cases }, (_, index) => ({ vars: variables(index) }));
}

export const promptfoo = {
  name: 'promptfoo',
  program: 'promptfoo',
  filesFor(workload) {
    const { files, config } = described[workload.kind](workload);
    return { ...workload.files, ...files, 'promptfooconfig.json': JSON.stringify(config) };
  },
  argumentsFor: ({ concurrency }) => [
    ...['eval', '-c', 'promptfooconfig.json', '--no-cache', '--no-table', '--no-progress-bar', '--no-share'],
    ...['--max-concurrency', String(concurrency), '--output', results],
  ],
  envFor: (cwd) => ({
    PROMPTFOO_CONFIG_DIR: join(cwd, 'home'),
    PROMPTFOO_DISABLE_TELEMETRY: '1',
    PROMPTFOO_DISABLE_UPDATE: '1',
    PROMPTFOO_DISABLE_REMOTE_GENERATION: 'true',
    PROMPTFOO_DISABLE_SHARING: '1',
    PROMPTFOO_CACHE_ENABLED: 'false',
    // Failed cases are counted, not taken for a broken program.
    PROMPTFOO_FAILED_TEST_EXIT_CODE: '0',
  }),
  passedIn: (cwd) => JSON.parse(readFileSync(join(cwd, results), 'utf8')).results.stats.successes,
};
