import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../../../domain/problem.ts';
import { loadConversations } from '../../../../testing/fakes/load/conversation-parts.ts';
import { unmarked } from '../../../../testing/support/problems.ts';
import { temporaryFolder } from '../../../../testing/support/temporary-folder.ts';

/** Lines of a good scenario, to be put before the bad one. */
const head = 'name: m\nconnector: http://localhost/chat\n';
const judged = 'successCriteria: The table is booked\n';
const good = `${head}${judged}`;
const evaluator = (text: string) => `${head}evaluators:\n  - ${text}\n`;
const connector = (text: string) => `name: m\n${judged}connector: ${text}\n`;
const connectors = (text: string) => `name: m\n${judged}connectors: ${text}\n`;
const personas = (text: string) => `${good}personas: ${text}\n`;
const dataset = (name: string) => `${good}userMessages: ["Hello {{city}}"]\ndataset: ${name}\n`;

const quoteHint = (value: string) => `Put it in quotes: "${value}".`;
const evaluatorTypes =
  'Known: `latency-budget`, `regex`, `contains`, `llm-judge`, `score-judge`, `tool-call-count`, `token-usage`.';
const connectorHint = 'Add `connector: { type: http, baseUrl: … }`, or name one with --connector or --connector-url.';
const addressHint = 'Use a URL that begins with http:// or https://.';
const formHint = 'Example: `{ type: http, baseUrl: http://localhost:3000/chat }`.';
const nowhere = 'Define it inline, or add it to `personas` in the config.';
const unjudged = 'Scenario must have success/failure criteria or evaluators defined';
const addOne = 'Add `evaluators` for what code can check, or `successCriteria` for a judge.';

/** The mistake, the file with ▸ at its place, and the reported message. */
type Row = readonly [about: string, text: string, message: string, hint?: string];

const basics: readonly Row[] = [
  ['a missing name', `▸connector: http://localhost\n${judged}maxMessages: 4\n`, '`name` is missing'],
  ['an empty name', good.replace('name: m', 'name: ▸""'), '`name` must not be empty'],
  ['a name that is a number', good.replace('name: m', 'name: ▸7'), '`name` must be text, not a number', quoteHint('7')],
  ['a misspelt name', `▸nmae: m\nconnector: http://x\n${judged}`, 'unknown key `nmae`', 'Did you mean `name`?'],
  ['a description that is a list', `${good}description: ▸[a]\n`, '`description` must be text, not a list'],
  ['instructions that are a list', `${good}instructions: ▸[a]\n`, '`instructions` must be text, not a list'],
  [
    'messages that are text',
    `${good}messages: ▸hello\n`,
    '`messages` must be a list, not text',
    'Write a list: `["hello"]`.',
  ],
  [
    'a message that is text',
    `${good}messages: [▸hello]\n`,
    '`messages[0]` must be an object, not text',
    'Its keys: `role`, `content`, `tool_calls`, `tool_call_id`, `name`, `id`, `metadata`, `attachments`.',
  ],
  [
    'faults of a model that Assay does not see',
    `${good}▸faults: [{ fault: error }]\n`,
    '`faults` break requests to a model that Assay prompts itself, and the connector "http" is of the type `http`',
    'Use connectors of the type `model`, or remove `faults`.',
  ],
  [
    'a fault that requests to a model do not have',
    `${connector('{ type: model, config: { model: a/b } }')}faults: [{ fault: ▸stale }]\n`,
    'there is no `stale` of models',
  ],
  ['a message without role', `${good}messages: [▸{ content: a }]\n`, '`messages[0].role` is missing'],
  [
    'a message with a wrong role',
    `${good}messages: [{ role: ▸usr, content: a }]\n`,
    '`messages[0].role` cannot be `usr`',
    'Did you mean `user`?',
  ],
  ['a message without content', `${good}messages: [▸{ role: user }]\n`, '`messages[0].content` is missing'],
  [
    'a tool call without function',
    `${good}messages: [{ role: assistant, content: ~, tool_calls: [▸{ id: a }] }]\n`,
    '`messages[0].tool_calls[0].function` is missing',
    'Its keys: `name`, `arguments`.',
  ],
  [
    'user messages that are numbers',
    `${good}userMessages: [▸1]\n`,
    '`userMessages[0]` must be text or an object, not a number',
    quoteHint('1'),
  ],
  ['no user messages', `${good}userMessages: ▸[]\n`, '`userMessages` must have at least 1 item'],
  ['no messages at all', `${good}maxMessages: ▸0\n`, '`maxMessages` must be at least 1'],
  ['half a message', `${good}maxMessages: ▸1.5\n`, '`maxMessages` must be a whole number, not 1.5'],
  ['what the target itself refuses', `${good}maxMessages: ▸13\n`, 'refused by the target'],
  ['no repeats', `${good}repeat: ▸0\n`, '`repeat` must be at least 1'],
  ['a tier below zero', `${good}tier: ▸-1\n`, '`tier` must be at least 0'],
  ['an empty tag', `${good}tags: [▸""]\n`, '`tags[0]` must not be empty'],
  ['no time', `${good}timeoutSecs: ▸0\n`, '`timeoutSecs` must be more than 0'],
  ['models that are a number', `${good}models: ▸5\n`, '`models` must be a list, not a number'],
  [
    'criteria of direct calls',
    `${good}▸passCriteria: [a]\n`,
    '`passCriteria` is not supported in a conversation',
    'Use `evaluators`, `successCriteria` or `failureCriteria`.',
  ],
  ['cases', `${good}▸cases: []\n`, '`cases` is not supported in a conversation', 'Use a `dataset`.'],
  ['a judge with unknown keys', `${good}judge: { ▸modle: a/b }\n`, 'unknown key `modle`', 'Did you mean `model`?'],
];

const judging: readonly Row[] = [
  [
    'a misspelt criterion beside a good one',
    `${good}▸failureCriterias: It lies\n`,
    'unknown key `failureCriterias`',
    'Did you mean `failureCriteria`?',
  ],
  [
    'a misspelt key of an evaluator',
    evaluator('{ type: contains, ▸confg: { value: a } }'),
    'unknown key `confg`',
    'Did you mean `config`?',
  ],
  ['nothing that judges', `▸${head}maxMessages: 2\n`, unjudged, addOne],
  ['nothing but empty criteria', `▸${head}successCriteria: ""\nevaluators: []\n`, unjudged, addOne],
  [
    'misspelt evaluators',
    `${head}▸evaluator: [{ type: regex }]\nmaxMessages: 2\n`,
    'unknown key `evaluator`',
    'Did you mean `evaluators`?',
  ],
  [
    'misspelt criteria',
    `${head}▸sucessCriteria: a\n`,
    'unknown key `sucessCriteria`',
    'Did you mean `successCriteria`?',
  ],
  ['criteria that are a number', `${head}successCriteria: ▸5\n`, '`successCriteria` must be a list, not a number'],
  ['an empty criterion', `${head}failureCriteria: [a, ▸""]\n`, '`failureCriteria[1]` must not be empty'],
  [
    'an unknown mode',
    `${head}failureCriteria: a\nfailureCriteriaMode: ▸every-turn\n`,
    '`failureCriteriaMode` cannot be `every-turn`',
    'Did you mean `every_turn`?',
  ],
  [
    'evaluators that are an object',
    `${head}evaluators: ▸{ type: regex }\n`,
    '`evaluators` must be a list, not an object',
  ],
  [
    'an evaluator that is text',
    evaluator('▸regex'),
    '`evaluators[0]` must be an object, not text',
    'Write `{ type: regex }`.',
  ],
  ['an evaluator without type', evaluator('▸{ config: {} }'), '`evaluators[0].type` is missing'],
  [
    'a misspelt type key',
    evaluator('{ ▸tpye: regex, config: { pattern: a } }'),
    'unknown key `tpye`',
    'Did you mean `type`?',
  ],
  [
    'a misspelt type',
    evaluator('{ type: ▸latency-bugdet }'),
    'Unknown evaluator type: "latency-bugdet"',
    'Did you mean `latency-budget`?',
  ],
  ['an unknown type', evaluator('{ type: ▸vibes }'), 'Unknown evaluator type: "vibes"', evaluatorTypes],
  [
    'a type that is a number',
    evaluator('{ type: ▸5 }'),
    '`evaluators[0].type` must be text, not a number',
    quoteHint('5'),
  ],
  ['a missing config', evaluator('▸{ type: latency-budget }'), '`evaluators[0].config.maxMs` is missing'],
  [
    'a config that is text',
    evaluator('{ type: latency-budget, config: ▸fast }'),
    '`evaluators[0].config` must be an object, not text',
  ],
  [
    'a wrong value in a config',
    evaluator('{ type: latency-budget, config: { maxMs: ▸fast } }'),
    '`evaluators[0].config.maxMs` must be a number, not text',
  ],
  [
    'a value out of range',
    evaluator('{ type: latency-budget, config: { maxMs: ▸-1 } }'),
    '`evaluators[0].config.maxMs` must be at least 0',
  ],
  [
    'a misspelt key in a config',
    evaluator('{ type: latency-budget, config: { ▸maxMS: 3 } }'),
    'unknown key `maxMS`',
    'Did you mean `maxMs`?',
  ],
  [
    'a misspelt choice in a config',
    evaluator('{ type: token-usage, config: { track: ▸totl } }'),
    '`evaluators[0].config.track` cannot be `totl`',
    'Did you mean `total`?',
  ],
  [
    'a misspelt config',
    evaluator('{ type: regex, ▸confg: { pattern: a } }'),
    'unknown key `confg`',
    'Did you mean `config`?',
  ],
  [
    'an unknown time',
    evaluator('{ type: regex, config: { pattern: a }, when: ▸allways }'),
    '`evaluators[0].when` cannot be `allways`',
    'Known: `every-turn`, `eventually`, `final`.',
  ],
  [
    'a time for a metric',
    evaluator('{ type: tool-call-count, when: ▸final }'),
    '`when` is not supported for `tool-call-count`: it is a metric and never fails',
  ],
  [
    'a time for an evaluator that runs once',
    evaluator('{ type: score-judge, when: ▸eventually }'),
    '`score-judge` runs once, at the end, so `when` must be `final`',
  ],
  [
    'a gate',
    evaluator('▸{ type: file_exists, config: { path: a } }'),
    '`file_exists` needs workspace, which a conversation target does not provide',
  ],
];

const connections: readonly Row[] = [
  ['no connector', `▸name: m\n${judged}`, '`connector` is missing', connectorHint],
  ['a misspelt connector', `name: m\n${judged}▸conector: a\n`, 'unknown key `conector`', 'Did you mean `connector`?'],
  [
    'a connector that is nowhere',
    connector('▸prod'),
    'there is no connector "prod"',
    'Name an entry of `connectors` in the file or in the config; neither has any.',
  ],
  [
    'a connector that the file does not have',
    `${connectors('{ a: http://x/a, b: http://x/b }')}connector: ▸stage\n`,
    'there is no connector "stage"',
    'Known: `a`, `b`.',
  ],
  ['a connector that is a number', connector('▸5'), '`connector` must be a URL or an object with a `type`', formHint],
  ['a connector without type', connector('▸{ baseUrl: http://x }'), '`connector.type` is missing'],
  [
    'an unknown kind',
    connector('{ type: ▸htp, baseUrl: http://x }'),
    'Unknown connector type: "htp"',
    'Did you mean `http`?',
  ],
  ['no address', connector('{ type: http, baseUrl: ▸localhost:3000 }'), '"localhost:3000" is not a URL', addressHint],
  ['an empty address', connector('{ type: http, baseUrl: ▸"" }'), '`connector.baseUrl` must not be empty'],
  [
    'a header that is a number',
    connector('{ type: http, headers: { a: ▸1 } }'),
    '`connector.headers.a` must be text, not a number',
    quoteHint('1'),
  ],
  [
    'a misspelt key',
    connector('{ type: http, ▸baseURl: http://x }'),
    'unknown key `baseURl`',
    'Did you mean `baseUrl`?',
  ],
  [
    'a config that its kind refuses',
    connector('{ type: http, config: { method: ▸PSOT } }'),
    '`connector.config.method` cannot be `PSOT`',
    'Did you mean `POST`?',
  ],
  [
    'a config that is missing',
    connector('▸{ type: langgraph, baseUrl: http://x }'),
    '`connector.config.assistantId` is missing',
  ],
  [
    'connectors that are text',
    connectors('▸http://x'),
    '`connectors` must be an object with connectors by name, or a list of them',
  ],
  ['no connectors', connectors('▸{}'), '`connectors` must be an object with connectors by name, or a list of them'],
  [
    'one that is wrong among several',
    connectors('{ a: http://x, b: { type: ▸7 } }'),
    '`connectors.b.type` must be text, not a number',
    quoteHint('7'),
  ],
  [
    'two of the same name',
    connectors('[{ type: http, baseUrl: http://x }, ▸{ type: http, baseUrl: http://y }]'),
    'duplicate connector name "http"',
    'Give each its own `name`.',
  ],
  ['an empty list', connector('▸[]'), 'the list must not be empty'],
  [
    'an id without its list',
    `name: m\n${judged}connectorId: ▸c9\n`,
    'there is no connector with the id "c9"',
    'Add it to connectors.json beside the scenarios, where connectors with ids are defined.',
  ],
];

const people: readonly Row[] = [
  [
    'personas that are a number',
    personas('▸5'),
    '`personas` must be an object with personas by name, a list of them, or a file',
  ],
  ['a persona that is nowhere', personas('[▸shopper]'), 'there is no persona "shopper"', nowhere],
  ['a persona that is a list', personas('{ a: ▸[x] }'), '`personas.a` must be a name, a file or an object'],
  ['a persona without name', personas('[▸{ goal: x }]'), '`personas[0].name` is missing'],
  ['a goal that is a list', personas('{ a: { goal: ▸[x] } }'), '`personas.a.goal` must be text, not a list'],
  [
    'a misspelt key',
    personas('{ a: { ▸sytemPrompt: x } }'),
    'unknown key `sytemPrompt`',
    'Did you mean `systemPrompt`?',
  ],
  ['the same persona twice', personas('[{ name: a }, ▸{ name: a }]'), 'duplicate persona name "a"'],
  ['a file that is not there', personas('{ a: ▸./a.yaml }'), 'there is no file `./a.yaml`', 'Searched: `a.yaml`.'],
  [
    'a persona by id without its list',
    `${good}personaIds: [▸p1]\n`,
    'there is no persona with the id "p1"',
    'Add it to personas.json beside the scenarios, where personas with ids are defined.',
  ],
];

const rows: readonly Row[] = [
  ['a dataset that is not there', `${good}dataset: ▸none.csv\n`, 'none.csv: the file does not exist'],
  ['a dataset without path', `${good}dataset: ▸{ format: csv }\n`, '`dataset.path` is missing'],
  [
    'a name that no row has',
    dataset('rows.csv').replace('{{city}}', '▸{{town}}'),
    '`{{town}}` cannot be filled in: a row of rows.csv has no `town`',
  ],
  [
    'a name that some row has not',
    dataset('rows.jsonl').replace('{{city}}', 'and ▸{{ size }}'),
    '`{{ size }}` cannot be filled in: a row of rows.jsonl has no `size`',
  ],
  [
    'a name in an evaluator',
    `${head}evaluators:\n  - { type: contains, config: { text: "a ▸{{ref}}" } }\ndataset: rows.csv\n`,
    '`{{ref}}` cannot be filled in: a row of rows.csv has no `ref`',
  ],
  [
    'a name in criteria',
    `${head}successCriteria: Books in ▸{{place}}\ndataset: rows.csv\n`,
    '`{{place}}` cannot be filled in: a row of rows.csv has no `place`',
  ],
  [
    'a value that an evaluator refuses',
    `${head}evaluators:\n  - { type: latency-budget, config: { maxMs: ▸"{{city}}" } }\ndataset: rows.csv\n`,
    '`evaluators[0].config.maxMs` must be a number, not text',
  ],
];

const all = [...basics, ...judging, ...connections, ...people, ...rows];

describe('a wrong scenario is refused where it is wrong', () => {
  it('in many ways', () => {
    expect(all.length).toBeGreaterThanOrEqual(80);
  });

  it.each(all.map(([about, marked, message, hint]) => ({ about, marked, message, hint })))('$about', async (row) => {
    const { marked, message, hint } = row;
    const folder = await temporaryFolder({
      'rows.csv': 'city,limit\nRome,3\nOslo,4\n',
      'rows.jsonl': '{"city":"Rome","size":1}\n{"city":"Oslo"}\n',
    });
    const { text, place } = unmarked(marked);
    await writeFile(join(folder, 'x.yaml'), text);
    const { problems } = await loadConversations(folder, ['x.yaml']);
    expect(problems.map(formatProblem)).toEqual([`x.yaml:${place}: ${message}${hint ? `\n    ${hint}` : ''}`]);
  });
});

describe('a problem in another file is reported there', () => {
  const scenarios = JSON.stringify([{ id: 's1', name: 'a', successCriteria: 'x', personaIds: ['p1'] }]);
  const listed = (files: Readonly<Record<string, string>>) => ({
    'scenarios.json': scenarios,
    'connectors.json': '[{"id":"c1","name":"prod","type":"http","baseUrl":"http://x"}]',
    'personas.json': '[{"id":"p1","name":"Ada"}]',
    ...files,
  });

  const elsewhere: readonly (readonly [file: string, marked: string, message?: string, hint?: string])[] = [
    ['personas.json', '[{"id":"p1","name":▸7}]', '`[0].name` must be text, not a number', quoteHint('7')],
    ['personas.json', '▸{"p1":{}}', 'the file must contain a list'],
    ['personas.json', '[{"id":▸}]'],
    [
      'connectors.json',
      '[{"id":"c1","name":"p","type":▸"htp"}]',
      'Unknown connector type: "htp"',
      'Did you mean `http`?',
    ],
    ['evals.json', '[{"name":"e","scenarioIds":[▸"s9"]}]', 'there is no scenario with the id "s9" in scenarios.json'],
    [
      'evals.json',
      '[{"name":"e","scenarioIds":["s1"],"connectorId":▸"c9"}]',
      'there is no connector with the id "c9"',
      'Add it to connectors.json beside the scenarios, where connectors with ids are defined.',
    ],
    ['evals.json', '[▸{"name":"e"}]', '`[0].scenarioIds` is missing'],
  ];

  it.each(elsewhere.map(([file, marked, message, hint]) => ({ file, marked, message, hint })))(
    '$file: $marked',
    async (row) => {
      const { file, marked, message, hint } = row;
      const { text, place } = unmarked(marked);
      const folder = await temporaryFolder(listed({ [file]: text }));
      const { problems } = await loadConversations(folder, ['scenarios.json']);
      const [first, ...others] = problems.map(formatProblem);
      expect(others).toEqual([]);
      expect(first).toMatch(`${file}:${place}: `);
      if (message) expect(first).toBe(`${file}:${place}: ${message}${hint ? `\n    ${hint}` : ''}`);
    },
  );

  it('also in a file of a persona, which leads to no other', async () => {
    const folder = await temporaryFolder({
      'x.yaml': personas('{ a: who/a.yaml, b: who/b.yaml, c: who/c.yaml }'),
      'who/a.yaml': 'goal: [x]\n',
      'who/b.yaml': 'b.yaml\n',
      'who/c.yaml': 'goal: Book\n',
    });
    const { problems } = await loadConversations(folder, ['x.yaml']);
    expect(problems.map(formatProblem)).toEqual([
      'who/a.yaml:1:7: `goal` must be text, not a list',
      'who/b.yaml:1:1: a file of personas cannot name another file',
    ]);
  });
});

describe('a list of scenarios', () => {
  it('has each wrong one reported at its own place, and the right ones read', async () => {
    const folder = await temporaryFolder({
      'list.json': `[
  { "name": "a", "connector": "http://x", "successCriteria": "y" },
  { "name": "b", "connector": "http://x", "successCriteria": 5 },
  { "name": "c", "connector": "http://x" },
  { "name": "a", "connector": "http://x", "successCriteria": "y" },
  { "name": "d", "connector": "http://x", "evaluators": [{ "type": "regexp", "config": { "pattern": "x" } }] }
]`,
    });
    const { problems, scenarios } = await loadConversations(folder, ['list.json']);
    expect(scenarios.map(({ name }) => name)).toEqual(['a', 'a']);
    expect(problems.map(formatProblem)).toEqual([
      'list.json:3:62: `successCriteria` must be a list, not a number',
      `list.json:4:3: ${unjudged}\n    ${addOne}`,
      'list.json:5:13: duplicate scenario name "a": first at list.json:2:13\n    Give each scenario its own name: results are found by it.',
      'list.json:6:68: Unknown evaluator type: "regexp"\n    Did you mean `regex`?',
    ]);
  });
});
