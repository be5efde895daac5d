import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { processesWith } from '../../src/testing/support/processes.ts';
import { runVitest, type VitestRun, vitestProject } from '../../src/testing/support/vitest-project.ts';

const rules = [
  { when: { toolResult: '/^1, 2$/' }, reply: 'I have {{toolResult}}' },
  { when: { last: 'What do you remember' }, toolCalls: [{ name: 'recall' }] },
  { when: { toolResult: '/^\\d+$/' }, reply: 'Done.' },
  { when: { last: 'remember 2' }, toolCalls: [{ name: 'remember', input: { value: 2 } }] },
];
const key = 'sk-ant-test-93c1f0d27b';

let folder: string;

async function runSpecs(args: readonly string[] = [], more: Record<string, string> = {}): Promise<VitestRun> {
  await using model = await startScriptedModel({ rules });
  const { ANTHROPIC_BASE_URL = '' } = model.environment;
  const env = { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL, ...more };
  return await runVitest(folder, { args, env });
}

beforeAll(async () => {
  folder = await vitestProject();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('assay/vitest in a project', () => {
  const tag = randomUUID();
  let run: VitestRun;
  beforeAll(async () => {
    run = await runSpecs([], { ASSAY_TEST_TAG: tag });
  }, 120_000);

  const outcomes = (file: string) => run.files[file]?.map(({ status, fullName }) => `${status}: ${fullName}`);
  const failureOf = (file: string, name: string) =>
    run.files[file]?.find(({ fullName }) => fullName === name)?.failureMessages.join('\n');

  it('fails as a whole, because something in it fails', () => {
    expect(run.exitCode).toBe(1);
  });

  it('tests of tools pass', () => {
    expect(outcomes('tools')).toEqual([
      'passed: the calculator adds',
      'passed: the calculator answers with an error of its own',
      'passed: the calculator refuses what it does not know',
      'passed: the calculator remembers from one test',
      'passed: the calculator to the next, whoever asks',
      'passed: the calculator with another server inside asks that one',
      'passed: the calculator is asked again after that',
      'passed: the calculator may die in a test',
      'passed: the calculator and is started again for the next',
      'passed: without a server there is nothing to end',
    ]);
  });

  it.each([
    ['failing expects another tool', 'expected the output to call the tool "multiply"; called: [add]'],
    ['failing does not want the tool', 'expected the output not to call the tool "add"; called: [add]'],
    ['failing calls what is not there', 'MCPCallError: sqrt: Unknown tool: sqrt (MCP error -32602)'],
    [
      'failing waits for an answer that never comes',
      'hang: The MCP server "node calculator-server.mjs" did not answer tools/call within 3000 ms.',
    ],
    ['failing takes too long itself', 'failing.spec.ts'],
    [
      'a server that was not set up cannot be asked',
      'No server is running: call setupMCPServer in beforeAll, before the tests that use it.',
    ],
  ])('"%s" fails and says why', (name, message) => {
    expect(failureOf('failing', name)).toContain(message);
  });

  it('scenarios of all four kinds are tests, each with its own result', () => {
    expect(outcomes('scenario')).toEqual([
      'passed: booking.yaml Booking conversation (1 of 2)',
      'passed: booking.yaml Booking conversation (2 of 2)',
      'passed: Halves half of 4',
      'failed: Halves half of 20',
      'failed: Halves half of 0',
      'passed: scenarios Sums suite',
      'passed: Reads notes task',
      'failed: Misspelt can be run',
      'passed: matchers know a failure',
      'failed: matchers do not take a failure for a pass',
      'passed: matchers know an error',
      'failed: matchers do not take an error for a pass',
      'failed: matchers do not take an error for no failure',
      'failed: matchers miss a tool',
      'failed: matchers find a tool that is not wanted',
      'failed: matchers find another order',
      'failed: matchers compare figures',
      'failed: matchers do not know a figure',
      'failed: matchers do not know calls',
      'failed: matchers do not know calls of a trial that broke',
      'failed: matchers take trials only',
      'failed: matchers refuse a judge',
    ]);
  });

  const timedOut =
    'AssertionError: Could not be judged: No answer within 1.0 s.\n  TARGET_TIMEOUT: Raise `timeoutSecs`';
  it.each([
    ['Halves half of 20', 'AssertionError: Failed:\n  criteria: 1 of 2 pass criteria failed: result < 4'],
    ['Halves half of 0', timedOut],
    ['Misspelt can be run', 'definition:1:1: unknown key `passCritera`\n    Did you mean `passCriteria`?'],
    ['matchers do not take a failure for a pass', 'expected the outcome to be pass; Failed:\n  criteria: 1 of 2'],
    ['matchers do not take an error for a pass', timedOut],
    ['matchers do not take an error for no failure', timedOut],
    ['matchers miss a tool', 'tool-called: cancel_table was not called; called were find_table, book_table'],
    ['matchers find a tool that is not wanted', 'tool-not-called: book_table was called: call 2'],
    ['matchers find another order', 'tool-order: The calls are not as wanted: book_table, find_table'],
    ['matchers compare figures', 'expected `turn-count` to be {"min":3}; it is 2'],
    ['matchers do not know a figure', 'Could not be judged: there is no metric `cost`, only: turn-count'],
    [
      'matchers do not know calls',
      'AssertionError: Could not be judged: Not all tool calls were observed: the target does not report tool calls.',
    ],
    ['matchers do not know calls of a trial that broke', timedOut],
    ['matchers take trials only', 'This matcher takes a trial of runScenario or describeScenario.'],
    ['matchers refuse a judge', '`llm-judge` needs a judge: name it in the scenario.'],
  ])('"%s" fails with its reason', (name, message) => {
    expect(failureOf('scenario', name)).toContain(message);
  });

  it('tests of a server that cannot be had are not run, and it is said why', () => {
    expect(run.stderr).toContain(
      'The MCP server "node calculator-server.mjs mute" did not answer initialize within 500 ms.',
    );
    expect(run.stderr).toContain('The MCP server "no-such-server" could not be started: there is no such program.');
    expect(run.stderr).toContain('Hook timed out in 300ms');
    expect(run.stderr).toContain('Test timed out in 100ms');
    expect(outcomes('failing')?.filter((line) => line.includes('is never asked'))).toEqual([
      'skipped: a server that says nothing is never asked',
      'skipped: a hook that does not wait so long is never asked as well',
      'skipped: a server that is not there is never asked either',
    ]);
  });

  it('evaluations have a test for each case, with its scores for reporters', () => {
    expect(outcomes('evaluation')).toEqual([
      'passed: good sums addition',
      'passed: good sums product',
      'failed: bad sums wrong',
      'failed: bad sums described',
      'passed: lenient sums case 1',
      'passed: tools of the context case 1',
      'failed: no cases can be run',
    ]);
    expect(run.files.evaluation?.[0]?.meta).toMatchObject({
      assay: { overallScore: expect.closeTo(0.95, 5), scores: [{ scorerName: 'Tool Call Evaluation' }, {}, {}, {}] },
    });
    expect(failureOf('evaluation', 'bad sums wrong')).toContain(
      'The mean score is 0.000, less than the threshold of 0.8.\n' +
        '  0.00  Content Quality Evaluation: Expected exactly "9", got "8"\n' +
        '  0.00  Broken: failed: out of order\n  output: {"result":"8"',
    );
    expect(failureOf('evaluation', 'bad sums described')).toContain('The task failed: sqrt: Unknown tool: sqrt');
  });

  it('workflows are taken by a model, and skipped where it has no key', () => {
    expect(outcomes('workflow')).toEqual([
      'passed: a workflow is taken on the same server',
      'failed: a workflow does not reach its state',
      'skipped: a model without a key is not asked',
      'skipped: evaluated without a key case',
    ]);
    expect(failureOf('workflow', 'a workflow does not reach its state')).toContain(
      'the expected state "forgotten" was not reached; the last message is "Done."',
    );
  });

  it('configs have a test for each test of a tool and each workflow', () => {
    expect(outcomes('config')).toEqual([
      'passed: health sums adds',
      'passed: health sums divide test',
      'failed: health sums adds wrongly',
      'passed: all sums adds',
      'passed: all sums divide test',
      'failed: all sums adds wrongly',
      'passed: all memory',
      'failed: all wrong tool',
      'skipped: without a key memory',
      'skipped: without a key wrong tool',
      'failed: a config that is not there can be run',
    ]);
    expect(failureOf('config', 'health sums adds wrongly')).toContain('Expected 6, got 5');
    expect(failureOf('config', 'a config that is not there can be run')).toContain(
      'missing.config.json:1:1: the file or folder does not exist',
    );
    expect(failureOf('config', 'all wrong tool')).toContain('Tool Invocation Order');
  });

  it('nothing is left running, and no key is shown', () => {
    expect(run.files.forgotten?.map(({ status }) => status)).toEqual(['passed']);
    expect(processesWith(tag)).toEqual([]);
    expect(run.stdout + run.stderr).not.toContain(key);
  });
});

it('prints on stderr what is called with VITEST_MCP_DEBUG, also where files share a process', async () => {
  const env = { VITEST_MCP_DEBUG: 'yes' };
  const { stderr, files } = await runSpecs(['tools', 'evaluation', '--no-isolate', '--maxWorkers=1'], env);
  expect(files.tools?.every(({ status }) => status === 'passed')).toBe(true);
  expect(stderr).toContain('[assay] started node calculator-server.mjs');
  expect(stderr).toContain('[assay] add({"a":5,"b":3})');
  expect(stderr).toMatch(/\[assay\] add answered after [\d.]+ ms: \{"content":/);
  expect(stderr).toContain('[assay] good sums: passed; 2 of 2 cases passed, mean score 0.9');
});
