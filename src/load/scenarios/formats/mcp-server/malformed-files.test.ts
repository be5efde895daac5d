import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../../../domain/problem.ts';
import { loadConfigs } from '../../../../testing/fakes/load/mcp-server-files.ts';
import { unmarked } from '../../../../testing/support/problems.ts';
import { temporaryFolder } from '../../../../testing/support/temporary-folder.ts';

const server = 'server: { transport: stdio, command: node }\n';
const suites = 'toolHealthSuites: [{ name: a, tests: [{ name: add, args: {} }] }]\n';
const good = `${server}${suites}`;
const serverOf = (text: string) => `server: ${text}\n${suites}`;
const testOf = (text: string) => `${server}toolHealthSuites: [{ name: a, tests: [${text}] }]\n`;
const suiteOf = (text: string) => `${server}toolHealthSuites: [${text}]\n`;
const workflowOf = (text: string) => `${server}workflows: [${text}]\n`;
const stepOf = (text: string) => workflowOf(`{ name: w, steps: [${text}] }`);

const nothing = 'Configuration must include workflows or toolHealthSuites';
const nothingHint = 'Add an entry to `workflows`, `toolHealthSuites` or another list of suites.';
const quoteHint = (value: string) => `Put it in quotes: "${value}".`;

/** The mistake, the file with ▸ at its place, and the reported message. */
type Row = readonly [about: string, text: string, message: string, hint?: string];

const servers: readonly Row[] = [
  ['no server', `▸${suites}`, '`server` is missing'],
  ['a misspelt server', `▸sevrer: { command: node }\n${suites}`, 'unknown key `sevrer`', 'Did you mean `server`?'],
  ['a server that is text', serverOf('▸node'), '`server` must be an object, not text'],
  [
    'an unknown transport',
    serverOf('{ transport: ▸stdoi, command: node }'),
    '`server.transport` cannot be `stdoi`',
    'Did you mean `stdio`?',
  ],
  ['no transport', serverOf('▸{ cwd: x }'), '`server.transport` is missing', 'Known: `stdio`, `shttp`, `sse`, `mock`.'],
  ['no command', serverOf('▸{ transport: stdio }'), '`server.command` is missing'],
  ['an empty command', serverOf('{ transport: stdio, command: ▸"" }'), '`server.command` must not be empty'],
  [
    'a misspelt command',
    serverOf('{ transport: stdio, ▸comand: node }'),
    'unknown key `comand`',
    'Did you mean `command`?',
  ],
  [
    'arguments that are text',
    serverOf('{ transport: stdio, command: a, args: ▸b }'),
    '`server.args` must be a list, not text',
    'Write a list: `["b"]`.',
  ],
  [
    'an argument that is a number',
    serverOf('{ transport: stdio, command: a, args: [▸1] }'),
    '`server.args[0]` must be text, not a number',
    quoteHint('1'),
  ],
  [
    'a variable that is a number',
    serverOf('{ transport: stdio, command: a, env: { A: ▸1 } }'),
    '`server.env.A` must be text, not a number',
    quoteHint('1'),
  ],
  ['no url', serverOf('▸{ transport: shttp }'), '`server.url` is missing'],
  ['a url that is none', serverOf('{ transport: sse, url: ▸nowhere }'), '`server.url` is not valid: Invalid URL'],
  [
    'a url of another protocol',
    serverOf('{ transport: sse, url: "▸ftp://x" }'.replace('"▸', '▸"')),
    '`server.url` is not valid: Invalid URL',
  ],
  [
    'a header that is a list',
    serverOf('{ transport: sse, url: "http://x", headers: { a: ▸[] } }'),
    '`server.headers.a` must be text, not a list',
  ],
  [
    'a short interval',
    serverOf('{ transport: sse, url: "http://x", reconnectInterval: ▸5 }'),
    '`server.reconnectInterval` must be at least 100',
  ],
  [
    'fewer than no attempts',
    serverOf('{ transport: sse, url: "http://x", maxReconnectAttempts: ▸-1 }'),
    '`server.maxReconnectAttempts` must be at least 0',
  ],
];

const suiteRows: readonly Row[] = [
  ['nothing to test', `▸${server}`, nothing, nothingHint],
  ['nothing but empty lists', `▸${server}toolHealthSuites: []\nworkflows: []\n`, nothing, nothingHint],
  [
    'suites that are an object',
    `${server}toolHealthSuites: ▸{ name: a }\n`,
    '`toolHealthSuites` must be a list, not an object',
  ],
  [
    'a suite that is text',
    suiteOf('▸a'),
    '`toolHealthSuites[0]` must be an object, not text',
    'Its keys: `name`, `description`, `tests`, `parallel`, `timeout`, `tags`, `tier`, `repeat`, `ci`.',
  ],
  ['a suite without name', suiteOf('▸{ tests: [] }'), '`toolHealthSuites[0].name` is missing'],
  ['a suite without tests', suiteOf('▸{ name: a }'), '`toolHealthSuites[0].tests` is missing'],
  ['misspelt tests', suiteOf('{ name: a, ▸test: [] }'), 'unknown key `test`', 'Did you mean `tests`?'],
  [
    'two suites of one name',
    suiteOf('{ name: a, tests: [{ name: t, args: {} }] }, { name: ▸a, tests: [{ name: t, args: {} }] }'),
    'duplicate scenario name "a": first at c.yaml:2:28',
    'Give each scenario its own name: results are found by it.',
  ],
  ['a test without name', testOf('▸{ args: {} }'), '`toolHealthSuites[0].tests[0].name` is missing'],
  [
    'a test with an empty name',
    testOf('{ name: ▸"", args: {} }'),
    '`toolHealthSuites[0].tests[0].name` must not be empty',
  ],
  ['a test without args', testOf('▸{ name: add }'), '`toolHealthSuites[0].tests[0].args` is missing'],
  [
    'args that are a list',
    testOf('{ name: add, args: ▸[] }'),
    '`toolHealthSuites[0].tests[0].args` must be an object, not a list',
  ],
  [
    'too many retries',
    testOf('{ name: add, args: {}, retries: ▸6 }'),
    '`toolHealthSuites[0].tests[0].retries` must be at most 5, not 6',
  ],
  [
    'half a retry',
    testOf('{ name: add, args: {}, retries: ▸0.5 }'),
    '`toolHealthSuites[0].tests[0].retries` must be a whole number, not 0.5',
  ],
  [
    'an empty text as the expected result',
    testOf('{ name: add, args: {}, expectedResult: ▸"" }'),
    'an empty text is in every result: remove it, or write the whole result',
  ],
  [
    'time that runs backwards',
    testOf('{ name: add, args: {}, maxLatency: ▸-1 }'),
    '`toolHealthSuites[0].tests[0].maxLatency` must be at least 0',
  ],
  [
    'another way to match',
    testOf('{ name: add, args: {}, match: ▸subst }'),
    '`toolHealthSuites[0].tests[0].match` cannot be `subst`',
    'Did you mean `subset`?',
  ],
  [
    'an error that is a list',
    testOf('{ name: add, args: {}, expectedError: ▸[] }'),
    '`toolHealthSuites[0].tests[0].expectedError` must be text, not a list',
  ],
  [
    'a suite without time',
    suiteOf('{ name: a, tests: [], timeout: ▸0 }'),
    '`toolHealthSuites[0].timeout` must be at least 1',
  ],
  [
    'a suite that is half parallel',
    suiteOf('{ name: a, tests: [], parallel: ▸half }'),
    '`toolHealthSuites[0].parallel` must be true or false, not text',
  ],
  ['an OAuth suite without name', `${server}oauth2Suites: [▸{}]\n`, '`oauth2Suites[0].name` is missing'],
  ['no repeats', suiteOf('{ name: a, tests: [], repeat: ▸0 }'), '`toolHealthSuites[0].repeat` must be at least 1'],
];

const workflowRows: readonly Row[] = [
  ['a workflow without name', workflowOf('▸{ steps: [{ user: a }] }'), '`workflows[0].name` is missing'],
  ['a workflow without steps', workflowOf('{ name: w, steps: ▸[] }'), '`workflows[0].steps` must have at least 1 item'],
  [
    'a step that is text',
    stepOf('▸hello'),
    '`workflows[0].steps[0]` must be an object, not text',
    'Its keys: `user`, `expectTools`, `expectedState`.',
  ],
  ['a step without user', stepOf('▸{ expectedState: x }'), '`workflows[0].steps[0].user` is missing'],
  ['a step of which nothing is said', stepOf('{ user: ▸"" }'), '`workflows[0].steps[0].user` must not be empty'],
  [
    'expected tools that are text',
    stepOf('{ user: a, expectTools: ▸add }'),
    '`workflows[0].steps[0].expectTools` must be a list, not text',
    'Write a list: `["add"]`.',
  ],
  [
    'a state that is a number',
    stepOf('{ user: a, expectedState: ▸3 }'),
    '`workflows[0].steps[0].expectedState` must be text, not a number',
    quoteHint('3'),
  ],
  [
    'an unknown order',
    workflowOf('{ name: w, order: ▸exakt, steps: [{ user: a }] }'),
    '`workflows[0].order` cannot be `exakt`',
    'Did you mean `exact`?',
  ],
  [
    'no requests',
    workflowOf('{ name: w, maxSteps: ▸0, steps: [{ user: a }] }'),
    '`workflows[0].maxSteps` must be at least 1',
  ],
];

const otherSuite = (key: string, list: string, test: string) => `${server}${key}: [{ name: a, ${list}: [${test}] }]\n`;

/** Whatever is misspelt in a test could be what it expects. */
const expectationRows: readonly Row[] = [
  [
    'of a tool test',
    testOf('{ name: add, args: {}, ▸expectResult: 1 }'),
    'unknown key `expectResult`',
    'Did you mean `expectedResult`?',
  ],
  [
    'of a suite',
    suiteOf('{ name: a, tests: [{ name: t, args: {} }], ▸paralel: true }'),
    'unknown key `paralel`',
    'Did you mean `parallel`?',
  ],
  [
    'of a list of suites',
    `${good}▸toolHealthSuite: []\n`,
    'unknown key `toolHealthSuite`',
    'Did you mean `toolHealthSuites`?',
  ],
  [
    'of a workflow',
    workflowOf('{ name: w, steps: [{ user: a }], ▸expectTool: [x] }'),
    'unknown key `expectTool`',
    'Did you mean `expectTools`?',
  ],
  [
    'of a step',
    stepOf('{ user: a, ▸expectState: done }'),
    'unknown key `expectState`',
    'Did you mean `expectedState`?',
  ],
  [
    'of a resource test',
    otherSuite('resourceSuites', 'tests', '{ name: r, uri: "a://b", ▸expectedContents: x }'),
    'unknown key `expectedContents`',
    'Did you mean `expectedContent`?',
  ],
  [
    'of a count',
    otherSuite('resourceSuites', 'discoveryTests', '{ name: r, expectedCount: { ▸mni: 1 } }'),
    'unknown key `mni`',
    'Did you mean `min`?',
  ],
  [
    'of a prompt test',
    otherSuite('promptSuites', 'tests', '{ name: p, ▸expectContent: x }'),
    'unknown key `expectContent`',
    'Did you mean `expectedContent`?',
  ],
  [
    'of an expected message',
    otherSuite('promptSuites', 'tests', '{ name: p, expectedMessages: [{ ▸contents: x }] }'),
    'unknown key `contents`',
    'Did you mean `content`?',
  ],
  [
    'of a sampling test',
    otherSuite('samplingSuites', 'requestTests', '{ name: s, tool: t, ▸expectResult: x }'),
    'unknown key `expectResult`',
    'Did you mean `expectedResult`?',
  ],
  [
    'of an elicitation test',
    otherSuite(
      'elicitationSuites',
      'requestTests',
      '{ name: e, tool: t, respond: { action: accept }, ▸expectRequest: x }',
    ),
    'unknown key `expectRequest`',
    'Did you mean `expectedRequest`?',
  ],
];

const nothingExpected: readonly Row[] = [
  [
    'a pattern of a prompt that is none',
    otherSuite('promptSuites', 'tests', "{ name: p, expectedPatterns: [a, ▸'('] }"),
    'invalid regular expression: missing closing ): `(`',
  ],
  [
    'a pattern of an address that is none',
    otherSuite('resourceSuites', 'templateTests', "{ name: r, template: 'a://{b}', expectedUriPattern: ▸'(' }"),
    'invalid regular expression: missing closing ): `(`',
  ],
  [
    'an empty suite',
    suiteOf('▸{ name: a, tests: [] }'),
    'the suite "a" has no tests',
    'Add a test, or remove the suite.',
  ],
  [
    'hostile input that may be refused or not',
    otherSuite('promptSuites', 'securityTests', '▸{ name: p, maliciousInputs: ["<x>"] }'),
    'this test expects nothing',
    'Add `expectRejection: true` (or `false`) or `sanitizationTests`.',
  ],
  [
    'a rejection without input',
    otherSuite('promptSuites', 'securityTests', '▸{ name: p, expectRejection: true }'),
    'this test expects nothing',
    'Add `expectRejection: true` (or `false`) or `sanitizationTests`.',
  ],
  [
    'a count without limits',
    otherSuite('promptSuites', 'discoveryTests', '{ name: p, expectedCount: ▸{} }'),
    'this count expects nothing: add `min`, `max` or `exact`',
  ],
];

const mocksOf = (text: string) => `${good}tools: ${text}\n`;
const toolOf = (text: string) =>
  `server: { transport: mock, tools: { t: { inputSchema: { properties: { a: { type: number } } }, ${text} } } }\n${suites}`;
const oneAnswer = 'Give one of `result`, `error`, `real` and `simulate`.';

const mockRows: readonly Row[] = [
  ['mocks that are a list', mocksOf('▸[]'), '`tools` must be an object, not a list'],
  ['a mock that is text', mocksOf('{ add: ▸"5" }'), '`tools.add` must be an object or a list, not text'],
  ['no mock', mocksOf('{ add: ▸[] }'), '`tools.add` must have at least 1 item'],
  [
    'a mock without an answer',
    mocksOf('{ add: ▸{ delay: 5 } }'),
    'this mock has no answer: add `result`, `error`, `real` or `simulate`',
    oneAnswer,
  ],
  [
    'two answers',
    mocksOf('{ add: [{ result: 1 }, ▸{ result: 1, error: x }] }'),
    'this mock has several answers: `result`, `error`',
    oneAnswer,
  ],
  ['a misspelt key', mocksOf('{ add: { result: 1, ▸dealy: 5 } }'), 'unknown key `dealy`', 'Did you mean `delay`?'],
  [
    'a misspelt condition',
    mocksOf('{ add: [{ result: 1, when: { ▸arg: {} } }] }'),
    'unknown key `arg`',
    'Did you mean `args`?',
  ],
  [
    'a delay that is text',
    mocksOf('{ add: { result: 1, delay: ▸5s } }'),
    '`tools.add.delay` must be a number, not text',
  ],
  [
    'the call before the first',
    mocksOf('{ add: [{ result: 1, when: { call: ▸0 } }] }'),
    '`tools.add[0].when.call` must be at least 1',
  ],
  [
    'an unknown template',
    mocksOf("{ add: { result: { sum: 'is ▸{{a}}' } } }"),
    'unknown template `{{a}}`: use `{{args.name}}` or `{{call}}`',
  ],
  [
    'a template in a template',
    mocksOf("{ add: { error: '{{args.▸{{args.a}}}}' } }"),
    'a template cannot stand inside another template',
  ],
  ['misspelt mocks', `${good}▸tool: { add: { result: 1 } }\n`, 'unknown key `tool`', 'Did you mean `tools`?'],
  [
    'a mocked tool without answers',
    toolOf('title: x').replace('{ inputSchema', '▸{ inputSchema'),
    '`server.tools.t.answers` is missing',
  ],
  ['a mocked server with a real tool', toolOf('answers: { real: ▸true }'), 'a mocked server has no real tool'],
  [
    'an answer that contradicts the arguments of the tool',
    toolOf('answers: [{ when: { args: ▸{ a: x } }, result: 1 }]'),
    'the arguments do not fit the input schema: $.a: is "x", not number',
  ],
  [
    'an answer that contradicts the results of the tool',
    toolOf('outputSchema: { required: [b] }, answers: { result: ▸{ c: 1 } }'),
    'the result does not fit the output schema: $: `b` is missing',
  ],
  [
    'a schema that cannot be used',
    toolOf('outputSchema: { type: ▸strnig }, answers: { error: x }'),
    'there is no type "strnig". Did you mean `string`?',
  ],
];

const faultsOf = (text: string) => `${good}faults: ${text}\n`;
const mocked = (text: string) => `server: { transport: mock, tools: { add: { answers: { result: a } } } }\n${text}\n`;
const mockedFlow = (text: string) => mocked(`model: a/b\nworkflows: [${text}]`);

const nameRows: readonly Row[] = [
  [
    'a tool that a server without others does not have',
    mocked('toolHealthSuites: [{ name: a, tests: [{ name: ▸ad, args: {} }] }]'),
    'No tool is called `ad`.',
    'Did you mean `add`?',
  ],
  [
    'an expected tool of a workflow',
    mockedFlow('{ name: w, expectTools: [add, ▸Add], steps: [{ user: u }] }'),
    'No tool is called `Add`, but one is called `add`.',
    'Write `add`.',
  ],
  [
    'an expected tool of a step',
    mockedFlow('{ name: w, steps: [{ user: u, expectTools: [▸ad] }] }'),
    'No tool is called `ad`.',
    'Did you mean `add`?',
  ],
];

const faultRows: readonly Row[] = [
  [
    'a probability over 1',
    faultsOf('[{ fault: error, probability: ▸1.5 }]'),
    '`faults[0].probability` must be at most 1, not 1.5',
  ],
  ['a latency without a time', faultsOf('[{ fault: ▸latency }]'), 'a `latency` needs `ms`'],
  ['an unknown fault', faultsOf('[{ fault: ▸eror }]'), '`faults[0].fault` cannot be `eror`', 'Did you mean `error`?'],
  [
    'a restart of a mocked server',
    `${serverOf('{ transport: mock, tools: { add: { answers: { result: a } } } }')}faults: [{ fault: ▸server-restart }]\n`,
    'a mocked server and tools of a `toolLoop` cannot restart: they have neither a process nor a session',
    'Use `dropped`, which loses the call, or name another `server`.',
  ],
  [
    'a model where nothing prompts one',
    faultsOf('[{ fault: error, border: ▸model }]'),
    'this scenario has no calls at the border `model`',
  ],
  [
    'a model that never answers, and no caller that gives up',
    `${stepOf('{ user: u }')}faults: [{ border: model, fault: ▸timeout }]\n`,
    'without an agent no caller gives up a request to the model, so the whole trial would time out',
    'Use `dropped`, after which the request is sent again, or `latency`.',
  ],
  [
    'a restart in two places at once',
    faultsOf('[{ fault: server-restart, toolRuns: true, betweenCalls: ▸true }]'),
    '`betweenCalls` and `toolRuns` cannot be used together',
  ],
  ['a misspelt condition', faultsOf('[{ fault: error, ▸cal: 1 }]'), 'unknown key `cal`', 'Did you mean `call`?'],
];

const others: readonly Row[] = [
  ['no time at all', `${good}timeout: ▸0\n`, '`timeout` must be at least 1'],
  ['time that is text', `${good}timeout: ▸30s\n`, '`timeout` must be a number, not text'],
  ['a judge that is text', `${good}llmJudge: ▸"yes"\n`, '`llmJudge` must be true or false, not text'],
  ['a threshold in percent', `${good}passThreshold: ▸80\n`, '`passThreshold` must be at most 1, not 80'],
  ['a key that is a number', `${good}openaiKey: ▸5\n`, '`openaiKey` must be text, not a number', quoteHint('5')],
  [
    'an unknown rule for judge errors',
    `${good}judgeErrors: ▸warn\n`,
    '`judgeErrors` cannot be `warn`',
    'Known: `error`, `fail`, `ignore`.',
  ],
  ['models that are text', `${good}models: ▸a/b\n`, '`models` must be a list, not text', 'Write a list: `["a/b"]`.'],
  ['wordings that are a list', `${good}wordings: ▸[]\n`, '`wordings` must be an object, not a list'],
  [
    'a wording with two tools of one name',
    `${good}wordings: { a: ▸{ x: { name: z }, y: { name: z } } }\n`,
    'two tools have the name `z`',
  ],
  ['a tier below zero', `${good}tier: ▸-1\n`, '`tier` must be at least 0'],
  ['a key that is there twice', `${good}▸server: { command: b }\n`, 'duplicate key `server`: first at c.yaml:1:1'],
];

describe.each<[string, readonly Row[]]>([
  ['the server', servers],
  ['suites', suiteRows],
  ['workflows', workflowRows],
  ['a key', expectationRows],
  ['what is expected', nothingExpected],
  ['mocks', mockRows],
  ['names', nameRows],
  ['faults', faultRows],
  ['everything else', others],
])('a config with something wrong in %s', (_title, rows) => {
  const named = rows.map(([about, marked, message, hint]) => ({ about, marked, message, hint }));
  it.each(named)('is refused with its place: $about', async ({ marked, message, hint }) => {
    const { text, place } = unmarked(marked);
    const folder = await temporaryFolder({});
    await writeFile(join(folder, 'c.yaml'), text);
    const { problems } = await loadConfigs(folder, ['c.yaml']);
    expect(problems.map(formatProblem)).toEqual([`c.yaml:${place}: ${message}${hint ? `\n    ${hint}` : ''}`]);
  });
});

const noScenario =
  'the file must export a scenario, a list of scenarios or a suite\n    Write `export default defineScenario({ … })`.';

describe('a module that is not a config', () => {
  it.each([
    ['one that throws', '\nthrow new Error("no luck");', 'c.mjs:2:7: the file could not be loaded: no luck'],
    ['one without a default export', 'export const a = 1;', `c.mjs:1:1: ${noScenario}`],
    ['an empty list', 'export default [];', `c.mjs:1:16: ${noScenario}`],
    [
      'a function that throws',
      'const late = () => {\n  throw new Error("later");\n};\nexport default late;',
      'c.mjs:2:9: the file could not be loaded: later',
    ],
    [
      'data without an end',
      'const a = {}; a.a = a; export default a;',
      'c.mjs:1:39: `a` is an object that contains itself',
    ],
    [
      'something else',
      'export default { a: 1 };',
      'c.mjs:1:16: not a scenario\n    Add at least `name`, `call`, an input and criteria.',
    ],
    [
      'a server without tests',
      'export default {\n  server: { transport: "stdio", command: "a" } };',
      `c.mjs:1:16: ${nothing}\n    ${nothingHint}`,
    ],
    [
      'a wrong value',
      'export default {\n  server: { command: "a" },\n  toolHealthSuites: 5 };',
      'c.mjs:3:21: `toolHealthSuites` must be a list, not a number',
    ],
  ])('is refused with its place: %s', async (_about, text, expected) => {
    const folder = await temporaryFolder({ 'c.mjs': text });
    const { problems } = await loadConfigs(folder, ['c.mjs']);
    expect(problems.map(formatProblem)).toEqual([expected]);
  });
});
