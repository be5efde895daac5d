import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startHttpServer } from '../../src/testing/fakes/mcp/start-http-server.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { trialsIn } from '../../src/testing/support/mcp-project.ts';
import { suiteServer } from '../../src/testing/support/suite-run.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const server = suiteServer();

const suites = {
  toolHealthSuites: [
    { name: 'tools', tests: [{ name: 'add', args: { a: 2, b: 3 }, expectedResult: 5 }] },
    { name: 'more tools', tests: [{ name: 'echo', args: { value: 'x' } }] },
  ],
  resourceSuites: [
    {
      name: 'resources',
      discoveryTests: [{ name: 'lists', expectedCount: { min: 2 } }],
      tests: [{ name: 'reads', uri: 'note://a', expectedMimeType: 'text/markdown' }],
      subscriptionTests: [{ name: 'subscribes', resourceUri: 'note://a' }],
    },
  ],
  promptSuites: [{ name: 'prompts', tests: [{ name: 'greet', args: { name: 'Ann' }, expectedContent: ['hello'] }] }],
  samplingSuites: [
    {
      name: 'sampling',
      requestTests: [{ name: 'asks', tool: 'ask-model', args: { question: 'Why?' }, messages: [{ content: 'why' }] }],
    },
    { name: 'empty sampling', contentTests: [{ name: 'images', tool: 'ask-model', testCases: [] }] },
  ],
  elicitationSuites: [
    {
      name: 'elicitation',
      requestTests: [{ name: 'asks', tool: 'ask-user', respond: { action: 'accept', content: { name: 'Ann' } } }],
    },
  ],
};

describe('suites of every kind', () => {
  it.each([
    ['legacy', server],
    ['modern', suiteServer('modern')],
  ])('are run from one file, and each test is in the report (%s)', async (_era, tested) => {
    const folder = await temporaryFolder({ 'c.json': JSON.stringify({ server: tested, ...suites }) });
    const result = await assay(['run', 'c.json', '--json'], { cwd: folder });
    const told = trialsIn(result).map(({ scenario, outcome, toolHealth }) => [
      scenario,
      outcome,
      ...(toolHealth ?? []).map(({ testName, state }) => `${testName}: ${state}`),
    ]);
    expect(told).toEqual([
      ['tools', 'pass', 'add test: pass'],
      ['more tools', 'pass', 'echo test: pass'],
      ['resources', 'pass', 'lists: pass', 'reads: pass', 'subscribes: pass'],
      ['prompts', 'pass', 'greet: pass'],
      ['sampling', 'pass', 'asks: pass'],
      ['empty sampling', 'error', 'images: error'],
      ['elicitation', 'pass', 'asks: pass'],
    ]);
    expect(result.stdout).toContain('is not supported yet: it has no `testCases`');
    // The other suites say something about the server, so the files are not all that is to be said.
    expect(result.exitCode).toBe(3);
    expect(result.stderr).not.toContain('Warning');
  });

  it('are run over HTTP on both eras, with the headers of each', async () => {
    await using http = await startHttpServer();
    const toolHealthSuites = [
      {
        name: 'tools',
        tests: [
          { name: 'echo', args: { text: 'grüße' }, expectedResult: 'grüße' },
          { name: 'fail', args: {}, expectedError: 'it did not work' },
        ],
      },
    ];
    for (const era of ['legacy', 'modern'] as const) {
      const config = { server: http.define('shttp', 'good', {}, era), toolHealthSuites };
      const folder = await temporaryFolder({ 'c.json': JSON.stringify(config) });
      const result = await assay(['run', 'c.json', '--json'], { cwd: folder });
      expect(trialsIn(result)).toMatchObject([{ outcome: 'pass', toolHealth: [{ state: 'pass' }, { state: 'pass' }] }]);
    }
  });

  it('are not run in an era that is not known, or that the server does not have', async () => {
    const toolHealthSuites = [{ name: 'tools', tests: [{ name: 'add', args: { a: 2, b: 3 } }] }];
    const folder = await temporaryFolder({
      'unknown.json': JSON.stringify({ server: { ...server, protocol: '2027-01-01' }, toolHealthSuites }),
      'absent.json': JSON.stringify({ server: { ...server, protocol: 'modern' }, toolHealthSuites }),
    });
    const unknown = await assay(['run', 'unknown.json'], { cwd: folder });
    expect(unknown.exitCode).toBe(2);
    expect(unknown.stderr).toContain('`server.protocol` cannot be `2027-01-01`');
    expect(unknown.stderr).toContain('Known: `auto`, `legacy`, `modern`, `2026-07-28`.');
    const absent = await assay(['run', 'absent.json', '--json'], { cwd: folder });
    expect(trialsIn(absent)).toMatchObject([{ outcome: 'error', fault: { code: 'MCP_FEATURE_ABSENT' } }]);
  });

  it('answer the server one at a time, so that none gets the answer of another', async () => {
    const elicitationSuites = ['Ann', 'Bo', 'Cy'].map((name) => ({
      name,
      requestTests: Array.from({ length: 20 }, (_, index) => ({
        name: `asks ${index}`,
        tool: 'ask-user',
        respond: { action: 'accept', content: { name } },
        expectedResult: `Hello ${name}`,
      })),
    }));
    const folder = await temporaryFolder({ 'c.json': JSON.stringify({ server, elicitationSuites }) });
    const result = await assay(['run', 'c.json', '--json', '--concurrency', '3'], { cwd: folder });
    expect(trialsIn(result).map(({ outcome }) => outcome)).toEqual(['pass', 'pass', 'pass']);
  });

  it('are spoiled by a change of tools only where they met it, and not where the server announced it', async () => {
    const sum = { name: 'add', args: { a: 2, b: 3 }, expectedResult: 5 };
    const suites = (change: object) => [
      { name: 'before', tests: [sum] },
      { name: 'meets it', tests: [sum, { name: 'change', args: { tool: 'add', ...change } }] },
      { name: 'after', tests: [sum] },
    ];
    const outcomes = async (change: object, more: object = {}) => {
      const file = { server: { ...server, ...more }, toolHealthSuites: suites(change) };
      const folder = await temporaryFolder({ 'c.json': JSON.stringify(file) });
      return trialsIn(await assay(['run', 'c.json', '--json'], { cwd: folder })).map(({ outcome }) => outcome);
    };
    expect(await outcomes({})).toEqual(['pass', 'error', 'pass']);
    expect(await outcomes({ announced: true })).toEqual(['pass', 'pass', 'pass']);
    expect(await outcomes({ announced: true }, { toolChanges: 'refuse' })).toEqual(['pass', 'error', 'pass']);
  });

  it('say once for the whole file which tools no test calls', async () => {
    const folder = await temporaryFolder({ 'c.json': JSON.stringify({ server, ...suites }) });
    const { stdout } = await assay(['run', 'c.json', '--tool-health-only'], { cwd: folder });
    expect(stdout.match(/No test calls 15 of 17 tools/g)).toHaveLength(1);
  });
});

describe('a scenario that calls a tool of an MCP server', () => {
  it('is judged by what the result means', async () => {
    const folder = await temporaryFolder({});
    const scenario = {
      name: 'sums',
      description: 'It adds',
      call: { server, tool: 'add' },
      cases: [
        { name: 'right', input: { a: 2, b: 3 }, passCriteria: ['result == 5'] },
        { name: 'wrong', input: { a: 2, b: 3 }, passCriteria: ['result == 6'] },
      ],
    };
    await writeFile(join(folder, 'sums.json'), JSON.stringify(scenario));
    const result = await assay(['run', 'sums.json', '--json'], { cwd: folder });
    expect(trialsIn(result).map(({ outcome }) => outcome)).toEqual(['pass', 'fail']);
    expect(result.exitCode).toBe(1);
  });
});

const ask = (mode: string, question = 'Why?') => ({ tool: 'ask-model', args: { question, mode } });
const image = { contentType: 'image/png', input: 'aGVsbG8=' };
const reviewed = [
  { stepType: 'request', expectedOutcome: 'why?' },
  { stepType: 'approval', action: 'approve it', userResponse: 'Because.', expectedOutcome: 'check this: because.' },
  { stepType: 'approval', userResponse: 'Sure', expectedOutcome: 'Checked: sure', timeoutMs: 60_000 },
];
const personal = [{ description: 'personal data', includePersonalData: true, expectDataProtection: true }];

/** Tests of sampling, with the verdict that each gets. */
const samplingTests = {
  securityTests: [
    [
      { name: 'keeps to a refusal', ...ask('plain'), unauthorizedRequests: [{ messages: [{ content: 'why' }] }] },
      'pass',
    ],
    [
      { name: 'insists', ...ask('insisting'), unauthorizedRequests: [{ messages: [{ content: 'why' }] }] },
      'fail: unauthorized request 1: the server sent the refused request 2 times',
    ],
    [
      { name: 'is approved', ...ask('plain'), unauthorizedRequests: [{ messages: [], expectRejection: false }] },
      'pass',
    ],
    [
      { name: 'asks for something else', ...ask('plain'), unauthorizedRequests: [{ messages: [{ content: 'who' }] }] },
      'error: Could not be judged: It could not be observed: unauthorized request 1: the server sent another request',
    ],
    [
      {
        name: 'filters',
        ...ask('filtering', 'Is {{input}} right?'),
        sensitiveDataTests: [{ input: 'hunter2', expectFiltering: true }],
        privacyTests: personal,
      },
      'pass',
    ],
    [
      { name: 'leaks', ...ask('plain', 'Is {{input}} right?'), sensitiveDataTests: [{ input: 'hunter2' }] },
      'fail: sensitive text 1: the server sent "hunter2" to the model',
    ],
    [
      { name: 'leaks a name', ...ask('plain', 'Who is {{input}}?'), privacyTests: personal },
      'fail: personal data: the server sent "Erika Mustermann" to the model',
    ],
    [
      {
        name: 'filters too much',
        ...ask('filtering', '{{input}}'),
        sensitiveDataTests: [{ input: 'hunter2', expectFiltering: false }],
      },
      'fail: sensitive text 1: the server did not send "hunter2" to the model',
    ],
    [
      { name: 'is not given the text', ...ask('plain'), sensitiveDataTests: [{ input: 'hunter2' }] },
      'error: Could not be judged: It could not be observed: sensitive text 1: no argument of the call contains `{{input}}`',
    ],
    [
      { name: 'has nothing to protect', ...ask('plain'), privacyTests: [{ includePersonalData: false }] },
      'error: Could not be judged: It could not be observed: privacy test 1: without personal data',
    ],
    [
      { name: 'never asks', tool: 'add', args: { a: 1, b: 2 }, unauthorizedRequests: [{ messages: [] }] },
      'error: Could not be judged: It could not be observed: unauthorized request 1: the server sent no sampling request; the tool answered 3',
    ],
  ],
  contentTests: [
    [
      {
        name: 'takes text, converts images',
        ...ask('plain'),
        testCases: [
          { contentType: 'text', input: 'Because.', expectedHandling: 'accept', expectedResponse: 'because' },
          { ...image, expectedHandling: 'convert', expectedResponse: '(image/png)' },
        ],
      },
      'pass: 2 requests as expected',
    ],
    [{ name: 'refuses', ...ask('strict'), testCases: [{ ...image, expectedHandling: 'reject' }] }, 'pass'],
    [
      { name: 'should take it', ...ask('strict'), testCases: [{ ...image, expectedHandling: 'accept' }] },
      'fail: case 1 (image/png): expected a result, and the tool failed: No image content',
    ],
    [
      { name: 'should refuse it', ...ask('plain'), testCases: [{ ...image, expectedHandling: 'reject' }] },
      'fail: case 1 (image/png): expected an error, and the tool answered "The model says: (image/png)"',
    ],
    [
      { name: 'unclear', ...ask('plain'), testCases: [{ ...image, expectedHandling: 'convert' }] },
      'error: Could not be judged: It could not be observed: case 1 (image/png): `convert` is recognised by',
    ],
    [
      {
        name: 'unknown type',
        ...ask('plain'),
        testCases: [{ contentType: 'video', input: '', expectedHandling: 'reject' }],
      },
      'error: Could not be judged: It could not be observed: case 1 (video): the protocol has no content of the type "video"',
    ],
  ],
  workflowTests: [
    [
      { name: 'checks', ...ask('checking'), steps: reviewed },
      'pass: 3 steps as expected; the tool answered "Checked: Sure"',
    ],
    [
      {
        name: 'is refused',
        ...ask('checking'),
        steps: [{ userResponse: 'approve' }, { userResponse: 'reject' }],
        expectSuccess: false,
      },
      'pass: 2 steps as expected; the tool failed: User rejected sampling request',
    ],
    [
      { name: 'fails in the end', ...ask('plain'), steps: [{ userResponse: 'reject' }] },
      'fail: Expected a result, and the tool failed: User rejected sampling request',
    ],
    [
      { name: 'says something else', ...ask('plain'), steps: [{ userResponse: 'Because.', expectedOutcome: 'never' }] },
      'fail: Step 1: expected "never" in the answer of the tool, got "The model says: Because."',
    ],
    [
      { name: 'asks once', ...ask('plain'), steps: [{ userResponse: 'approve' }, { userResponse: 'approve' }] },
      'error: Could not be judged: It could not be observed: step 2 answers request 2 of the server, which did not send it',
    ],
    [
      { name: 'never asks', tool: 'add', args: { a: 1, b: 2 }, steps: [{ expectedOutcome: '3' }] },
      'error: Could not be judged: It could not be observed: the server sent no sampling request; the tool answered 3',
    ],
  ],
} as const;

describe('tests of sampling', () => {
  it('rest on what the server sent, and never pass where it had no occasion to', async () => {
    const suite = Object.fromEntries(
      Object.entries(samplingTests).map(([key, tests]) => [key, tests.map(([test]) => test)]),
    );
    const folder = await temporaryFolder({
      'c.json': JSON.stringify({ server, samplingSuites: [{ name: 'sampling', ...suite }] }),
    });
    const [trial] = trialsIn(await assay(['run', 'c.json', '--json'], { cwd: folder }));
    const verdicts = trial?.toolHealth?.map(({ testName, state, details }) => `${testName} | ${state}: ${details}`);
    const expected = Object.values(samplingTests)
      .flat()
      .map(([{ name }, verdict]) => `${name} | ${verdict}`);
    expect(verdicts?.map((text, index) => text.slice(0, expected[index]?.length))).toEqual(expected);
  });

  it('fail where the tool never answers, whatever is expected', async () => {
    const hanging = {
      name: 'hanging',
      timeout: 2_000,
      contentTests: [{ name: 'refuses', ...ask('hanging'), testCases: [{ ...image, expectedHandling: 'reject' }] }],
    };
    const folder = await temporaryFolder({ 'c.json': JSON.stringify({ server, samplingSuites: [hanging] }) });
    const [trial] = trialsIn(await assay(['run', 'c.json', '--json'], { cwd: folder }));
    expect(trial).toMatchObject({
      outcome: 'fail',
      reason: expect.stringContaining('the tool failed: Tool call timeout: no answer within 2000 ms'),
    });
  });

  it.each([
    [
      'contentTests',
      { testCases: [{ contentType: 'text', input: 'x', expectedHandling: 'maybe' }] },
      'expectedHandling',
    ],
    ['securityTests', { sensitiveDataTests: [{ input: 'x', expectFilter: true }] }, 'expectFilter'],
    ['workflowTests', { steps: [{ userResponse: 'approve', timeoutMs: -1 }] }, 'timeoutMs'],
  ])('of %s with a mistake are refused with its place', async (key, test, place) => {
    const suite = { name: 'sampling', [key]: [{ name: 'x', tool: 'ask-model', ...test }] };
    const folder = await temporaryFolder({ 'c.json': JSON.stringify({ server, samplingSuites: [suite] }, null, 2) });
    const { exitCode, stderr } = await assay(['run', 'c.json'], { cwd: folder });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/c\.json:\d+:\d+/);
    expect(stderr).toContain(place);
  });
});
