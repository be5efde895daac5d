import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../../../domain/problem.ts';
import type { Case } from '../../../../domain/scenario.ts';
import type { ConversationConfig } from '../../../../drive/conversation/conversation-config.ts';
import { evaluators } from '../../../../score/evaluators/index.ts';
import { conversationParts, loadConversations, noDefaults } from '../../../../testing/fakes/load/conversation-parts.ts';
import { temporaryFolder } from '../../../../testing/support/temporary-folder.ts';
import { loadScenarios } from '../../load.ts';
import type { ConversationDefaults, ScenarioDefaults } from '../../scenario-format.ts';

const http = { type: 'http', baseUrl: 'http://localhost/chat', headers: {} };
const prod = { type: 'http', baseUrl: 'http://prod/chat', headers: {} };

/** The only scenario of a text with its cases, in a fresh folder with further files. */
async function read(
  text: string,
  conversations: Partial<ConversationDefaults> = {},
  files: Readonly<Record<string, string>> = {},
  defaults: Partial<ScenarioDefaults> = {},
) {
  const file = text.trimStart().startsWith('{') ? 'x.json' : 'x.yaml';
  const folder = await temporaryFolder({ [file]: text, ...files });
  const loaded = await loadConversations(folder, [file], conversations, defaults);
  const [scenario, ...others] = loaded.scenarios;
  if (!scenario || others.length > 0 || loaded.problems.length > 0)
    throw new Error(loaded.problems.map(formatProblem).join('\n'));
  const cases: Case[] = [];
  for await (const item of scenario.cases()) cases.push(item);
  const [only] = cases;
  if (!only) throw new Error('no cases');
  const config = scenario.target.config as ConversationConfig;
  return { scenario, cases, only, config, warnings: loaded.warnings.map(formatProblem) };
}

const seedExample = `{
  "name": "Booking Flow",
  "evaluators": [
    // Assertions (must pass)
    {
      "type": "llm-judge",
      "config": {
        "successCriteria": "Agent successfully books appointment"
      }
    },
    {
      "type": "latency-budget",
      "config": { "maxMs": 3000 }
    },
    {
      "type": "regex",
      "config": {
        "pattern": "BK-\\\\d{5}",
        "mustMatch": true
      }
    },

    // Metrics (tracked)
    {
      "type": "tool-call-count",
      "config": {}
    },
    {
      "type": "token-usage",
      "config": { "track": "total" }
    }
  ]
}
`;

describe('the example of the specification', () => {
  it('is read as it is written', async () => {
    const { scenario, only, config, warnings } = await read(seedExample, { connectors: { agent: prod } });
    expect(warnings).toEqual([]);
    expect(only.evaluators).toEqual([
      { type: 'llm-judge', config: { successCriteria: 'Agent successfully books appointment' } },
      { type: 'latency-budget', config: { maxMs: 3000 } },
      { type: 'regex', config: { pattern: 'BK-\\d{5}', mustMatch: true } },
      { type: 'tool-call-count', config: {} },
      { type: 'token-usage', config: { track: 'total' } },
    ]);
    expect(scenario).toMatchObject({ name: 'Booking Flow', caseCount: 1, repeat: 1, timeoutMs: 30_000 });
    expect(scenario.variants).toEqual([{ connector: 'agent' }]);
    expect(scenario.target.type).toBe('conversation');
    expect(config).toEqual({
      connectors: { agent: prod },
      personas: {},
      messages: [],
      userMessages: [],
    });
  });

  it('is taken by the evaluators that there are', async () => {
    const folder = await temporaryFolder({ 'x.json': seedExample });
    const { problems, scenarios } = await loadScenarios({
      paths: ['x.json'],
      folder,
      parts: { ...conversationParts, evaluators },
      defaults: { timeoutSecs: 5, conversations: { ...noDefaults, connectorUrl: 'http://localhost:1/' } },
    });
    expect(problems.map(formatProblem)).toEqual([]);
    expect(scenarios).toHaveLength(1);
  });
});

describe('criteria of earlier scenarios', () => {
  const head = 'name: a\nconnector: http://localhost/chat\n';

  it.each([
    ['successCriteria: Booked', { successCriteria: 'Booked' }],
    ['failureCriteria: Rude', { failureCriteria: 'Rude' }],
    ['successCriteria: [Booked, Kind]', { successCriteria: ['Booked', 'Kind'] }],
    ['successCriteria: Booked\nfailureCriteria: Rude', { successCriteria: 'Booked', failureCriteria: 'Rude' }],
    ['successCriteria: Booked\nfailureCriteria: ""', { successCriteria: 'Booked' }],
    ['successCriteria: ~\nfailureCriteria: Rude', { failureCriteria: 'Rude' }],
    ['successCriteria: Booked\nevaluators: []', { successCriteria: 'Booked' }],
    ['successCriteria: Booked\nevaluators: ~', { successCriteria: 'Booked' }],
    [
      'failureCriteria: Rude\nfailureCriteriaMode: every_turn',
      { failureCriteria: 'Rude', failureCriteriaMode: 'every_turn' },
    ],
    [
      'failureCriteria: Rude\nfailureCriteriaMode: on_max_messages',
      { failureCriteria: 'Rude', failureCriteriaMode: 'on_max_messages' },
    ],
  ])('%s', async (text, config) => {
    const { only, warnings } = await read(`${head}${text}\n`);
    expect(only.evaluators).toEqual([{ type: 'llm-judge', config }]);
    expect(warnings).toEqual([]);
  });

  it('give way to evaluators, which is said', async () => {
    const text = `${head}successCriteria: Booked\nfailureCriteria: Rude\nevaluators: [{ type: tool-call-count }]\n`;
    const { only, warnings } = await read(text);
    expect(only.evaluators).toEqual([{ type: 'tool-call-count', config: {} }]);
    const hint = '\n    Move it to the config of an `llm-judge` evaluator.';
    const [unasserted, ...ignored] = warnings;
    expect(unasserted).toContain('this scenario asserts nothing');
    expect(ignored).toEqual([
      `x.yaml:3:1: \`successCriteria\` is ignored, because \`evaluators\` takes precedence${hint}`,
      `x.yaml:4:1: \`failureCriteria\` is ignored, because \`evaluators\` takes precedence${hint}`,
    ]);
  });

  it('have a mode that means nothing alone', async () => {
    const { warnings } = await read(`${head}successCriteria: Booked\nfailureCriteriaMode: every_turn\n`);
    expect(warnings).toEqual(['x.yaml:4:1: `failureCriteriaMode` has no effect without `failureCriteria`']);
  });
});

const scenarioWithEverything = `
name: Booking
description: Shows a booking
instructions: Book a table for two
messages:
  - { role: system, content: Be kind }
  - { role: user, content: Hello }
  - { role: assistant, content: ~, tool_calls: [{ id: t1, function: { name: find, arguments: "{}" } }] }
userMessages: [A table please, Tonight]
maxMessages: 8
evaluators:
  - { type: regex, config: { pattern: BK }, when: final }
connectors:
  stage: { type: http, baseUrl: "\${BASE}/chat", headers: { Authorization: "Bearer \${KEY}" }, config: { method: POST } }
  graph: { type: langgraph, baseUrl: http://localhost:2024, config: { assistantId: booking } }
personas:
  Ada: { goal: A table, systemPrompt: Be brief, messages: Hi, model: openai/x, headers: { X-User: ada } }
  Bob: who/bob.yaml
models: [m1, m2]
judge: { model: [a/b, c/d], samples: 3, successCriteria: Booked }
repeat: 2
tags: [smoke]
tier: 1
timeoutSecs: 7
`;

describe('a scenario with everything', () => {
  it('is read in full', async () => {
    const { scenario, only, config } = await read(
      scenarioWithEverything,
      {},
      { 'who/bob.yaml': 'name: Robert\ndescription: In a hurry\n' },
    );
    expect(scenario).toMatchObject({
      description: 'Shows a booking',
      repeat: 2,
      tags: ['smoke'],
      tier: 1,
      timeoutMs: 7_000,
    });
    expect(scenario.judge).toEqual({ models: ['a/b', 'c/d'], samples: 3, errors: undefined });
    expect(only.evaluators).toEqual([
      { type: 'regex', config: { pattern: 'BK', mustMatch: true }, when: 'final' },
      expect.objectContaining({ type: 'llm-judge' }),
    ]);
    expect(config.connectors).toEqual({
      stage: {
        type: 'http',
        baseUrl: '${BASE}/chat',
        headers: { Authorization: 'Bearer ${KEY}' },
        config: { method: 'POST' },
      },
      graph: { type: 'langgraph', baseUrl: 'http://localhost:2024', headers: {}, config: { assistantId: 'booking' } },
    });
    expect(config.personas).toEqual({
      Ada: {
        name: 'Ada',
        goal: 'A table',
        systemPrompt: 'Be brief',
        messages: ['Hi'],
        model: 'openai/x',
        headers: { 'X-User': 'ada' },
      },
      Bob: { name: 'Bob', description: 'In a hurry', messages: [], headers: {} },
    });
    expect(config.messages).toMatchObject([
      { role: 'system' },
      { content: 'Hello' },
      { tool_calls: [{ type: 'function' }] },
    ]);
    expect(config).toMatchObject({
      instructions: 'Book a table for two',
      userMessages: ['A table please', 'Tonight'],
      maxMessages: 8,
    });
    expect(scenario.variants).toHaveLength(8);
    expect(scenario.variants[0]).toEqual({ connector: 'stage', persona: 'Ada', model: 'm1' });
  });

  it('may have a judge section that only says who judges', async () => {
    const head = 'name: a\nconnector: http://localhost/chat\njudge: { model: a/b }\n';
    const judged = await read(`${head}successCriteria: Booked\n`);
    expect(judged.only.evaluators.map(({ type }) => type)).toEqual(['llm-judge']);
    expect(judged.scenario.judge.models).toEqual(['a/b']);
    const computed = await read(`${head}evaluators: [{ type: regex, config: { pattern: a } }]\n`);
    expect(computed.only.evaluators.map(({ type }) => type)).toEqual(['regex', 'score-judge']);
  });

  it('is given what the run says', async () => {
    const text = 'name: a\nconnector: http://localhost/chat\nsuccessCriteria: x\nrepeat: 2\n';
    const { scenario } = await read(text, { models: ['m'] }, {}, { repeat: 5, timeoutSecs: 9 });
    expect(scenario).toMatchObject({ repeat: 5, timeoutMs: 9_000, variants: [{ connector: 'http', model: 'm' }] });
    expect((await read(`${text}models: own\n`, { models: ['m'] })).scenario.variants).toEqual([
      { connector: 'http', model: 'own' },
    ]);
  });

  it('has unknown keys at its top ignored with a warning, and those of a data folder silently', async () => {
    const text = 'id: 5\nname: a\nconnector: http://localhost/chat\nsuccessCriteria: x\ncreatedAt: now\ncolour: red\n';
    expect((await read(text)).warnings).toEqual(['x.yaml:6:1: unknown key `colour` is ignored']);
  });

  it('has another hash when anything of it changes', async () => {
    const text = 'name: a\nconnector: agent\nsuccessCriteria: x\n';
    const hash = async (changed: string, connectors: ConversationDefaults['connectors'], more = {}) =>
      (await read(changed, { connectors, ...more })).scenario.contentHash;
    const hashes = [
      await hash(text, { agent: prod }),
      await hash(text, { agent: http }),
      await hash(text.replace('x', 'y'), { agent: prod }),
      await hash(text, { agent: prod }, { connectorUrl: 'http://other' }),
    ];
    expect(new Set(hashes).size).toBe(4);
    expect(await hash(text, { agent: prod, unused: http })).toBe(hashes[0]);
  });
});

describe('the connector of a scenario', () => {
  const text = (connector: string) => `name: a\nsuccessCriteria: x\n${connector}\n`;
  const stage = { type: 'http', baseUrl: 'http://stage/chat', headers: {} };

  it.each<[string, string, Partial<ConversationDefaults>, Record<string, unknown>]>([
    ['is an address', 'connector: http://localhost/chat', {}, { http }],
    ['is written out', 'connector: { type: http, baseUrl: http://localhost/chat }', {}, { http }],
    [
      'has a name',
      'connector: { name: n, type: http, baseUrl: http://x }',
      {},
      { n: { ...http, name: 'n', baseUrl: 'http://x' } },
    ],
    ['is one of the config', 'connector: prod', { connectors: { prod, stage } }, { prod }],
    ['is several of the config', 'connector: [prod, stage]', { connectors: { prod, stage } }, { prod, stage }],
    ['is a list of names', 'connectors: [prod, stage]', { connectors: { prod, stage } }, { prod, stage }],
    [
      'is its own rather than one of the config',
      'connectors: { prod: http://localhost/chat }\nconnector: prod',
      { connectors: { prod } },
      { prod: http },
    ],
    [
      'is each that it defines',
      'connectors: { a: http://localhost/chat, prod: http://prod/chat }',
      {},
      { a: http, prod },
    ],
    ['is the only one of the config', '', { connectors: { stage } }, { stage }],
    ['is the one called default', '', { connectors: { stage, default: prod } }, { default: prod }],
    ['is selected', 'connector: prod', { connectors: { prod, stage }, connectorNames: ['stage'] }, { stage }],
    [
      'is selected from its own',
      'connectors: { a: http://localhost/chat, b: http://x }',
      { connectorNames: ['a'] },
      { a: http },
    ],
    [
      'has another address',
      'connector: prod',
      { connectors: { prod }, connectorUrl: 'http://localhost/chat' },
      { prod: http },
    ],
    ['is only an address that was given', '', { connectorUrl: 'http://localhost/chat' }, { http }],
  ])('%s', async (_about, connector, defaults, expected) => {
    const { config, scenario } = await read(text(connector), defaults);
    expect(config.connectors).toEqual(expected);
    expect(scenario.variants).toEqual(Object.keys(expected).map((name) => ({ connector: name })));
  });

  it('is refused with what there is', async () => {
    const folder = await temporaryFolder({
      'x.yaml': text('connector: prod'),
      'y.yaml': text('').replace('name: a', 'name: b'),
    });
    const selected = await loadConversations(folder, ['x.yaml'], { connectors: { stage }, connectorNames: ['prd'] });
    expect(selected.problems.map(formatProblem)).toEqual([
      'x.yaml:1:1: there is no connector "prd"\n    Known: `stage`.',
    ]);
    const unclear = await loadConversations(folder, ['y.yaml'], { connectors: { stage, prod } });
    expect(unclear.problems.map(formatProblem)).toEqual([
      'y.yaml:1:1: `connector` is missing\n    Name one of `stage`, `prod`.',
    ]);
    const wrong = { ...prod, config: { method: 5 } };
    const shared = await loadConversations(folder, ['x.yaml'], { connectors: { prod: wrong } });
    expect(shared.problems.map(formatProblem)).toEqual([
      'x.yaml:3:12: `connectors.prod` of the config: `config.method` must be one of `GET`, `POST`, not a number',
    ]);
  });
});

describe('the personas of a scenario', () => {
  const head = 'name: a\nconnector: http://localhost/chat\nsuccessCriteria: x\n';
  const ada = { name: 'Ada', messages: [], headers: {} };
  const files = { 'all.json': '[{"name":"Ada"},{"name":"Bob"}]', 'map.yaml': 'Ada: {}\nEve: { goal: x }\n' };

  it.each([
    ['persona: Ada', ['Ada']],
    ['persona: { name: Zoe }', ['Zoe']],
    ['personas: [Ada, { name: Zoe }]', ['Ada', 'Zoe']],
    ['personas: { Ada: {}, Zoe: { goal: x } }', ['Ada', 'Zoe']],
    ['personas: ./all.json', ['Ada', 'Bob']],
    ['personas: map.yaml', ['Ada', 'Eve']],
    ['personas: Ada', ['Ada']],
    ['persona: { name: Zoe }\npersonas: [Ada]', ['Zoe', 'Ada']],
  ])('%s', async (text, names) => {
    const { config, scenario } = await read(`${head}${text}\n`, { personas: { Ada: ada } }, files);
    expect(Object.keys(config.personas)).toEqual(names);
    expect(scenario.variants.map(({ persona }) => persona)).toEqual(names);
  });
});

describe('rows of a dataset', () => {
  const scenario = `name: a
connector: http://localhost/chat
instructions: Book in {{city}}
userMessages: ["A table in {{city}}", "For {{ guests }}"]
evaluators:
  - { type: contains, config: { text: "{{ref}}" } }
  - { type: latency-budget, config: { maxMs: "{{limit}}" } }
  - { type: tool-call-count }
`;
  const csv = 'name,city,guests,ref,limit,expected\nr,Rome,2,BK-1,100,ok\no,Oslo,3,{{city}},200,\n';

  it('become cases, with their values in everything that judges', async () => {
    const {
      scenario: read1,
      cases,
      config,
    } = await read(`${scenario}dataset: { path: rows.csv, types: { limit: number } }\n`, {}, { 'rows.csv': csv });
    expect(read1.caseCount).toBe(2);
    expect(cases.map(({ caseId }) => caseId)).toEqual(['r', 'o']);
    expect(cases[0]?.input).toEqual({ city: 'Rome', guests: '2', ref: 'BK-1', limit: 100 });
    expect(cases[0]?.expected).toBe('ok');
    expect(cases.map(({ evaluators: list }) => list.map(({ config: own }) => own))).toEqual([
      [{ text: 'BK-1' }, { maxMs: 100 }, {}],
      [{ text: '{{city}}' }, { maxMs: 200 }, {}],
    ]);
    expect(config.userMessages).toEqual(['A table in {{city}}', 'For {{ guests }}']);
  });

  it('fill in criteria, also those of a judge section', async () => {
    const text = 'name: a\nconnector: http://localhost/chat\nsuccessCriteria: ["Booked in {{city}}"]\n';
    const rows = { 'rows.jsonl': '{"id":1,"city":"Rome"}\n{"id":2,"city":"Oslo"}\n' };
    const legacy = await read(`${text}dataset: rows.jsonl\n`, {}, rows);
    expect(legacy.cases.map(({ caseId, evaluators: list }) => [caseId, list[0]?.config])).toEqual([
      ['1', { successCriteria: ['Booked in Rome'] }],
      ['2', { successCriteria: ['Booked in Oslo'] }],
    ]);
    const judge = text.replace('successCriteria: ["Booked in {{city}}"]', 'judge: { failureCriteria: "Not {{city}}" }');
    const section = await read(`${judge}dataset: rows.jsonl\n`, {}, rows);
    expect(section.cases.map(({ evaluators: list }) => list[0]?.config)).toMatchObject([
      { failureCriteria: 'Not Rome' },
      { failureCriteria: 'Not Oslo' },
    ]);
  });

  it('share their evaluators where these do not depend on them', async () => {
    const text =
      'name: a\nconnector: http://localhost/chat\nsuccessCriteria: x\nuserMessages: ["{{name}}", "{{id}}"]\n';
    const { cases } = await read(
      `${text}dataset: rows.json\n`,
      {},
      {
        'rows.json': '[{"name":"n1","id":1,"input":"hi"},{"name":"n2","id":2,"input":"ho"}]',
      },
    );
    expect(cases.map(({ input }) => input)).toEqual([
      { name: 'n1', id: 1, input: 'hi' },
      { name: 'n2', id: 2, input: 'ho' },
    ]);
    expect(cases[0]?.evaluators).toBe(cases[1]?.evaluators);
  });

  it('are refused with their own criteria, and with values that are not there', async () => {
    const folder = await temporaryFolder({
      'x.yaml': `${scenario}dataset: rows.jsonl\n`,
      'rows.jsonl': [
        '{"city":"Rome","guests":2,"ref":"a","limit":5,"passCriteria":["true"]}',
        '{"city":"Rome","guests":2,"limit":5}',
        '{"city":"Rome","guests":2,"limit":6}',
        '{"city":"Rome","guests":2,"ref":"a","limit":"soon"}',
      ].join('\n'),
    });
    const { problems } = await loadConversations(folder, ['x.yaml']);
    expect(problems.map(formatProblem)).toEqual([
      'rows.jsonl:1:62: `passCriteria` is not supported in a conversation\n    Use `{{name}}` templates in `evaluators` instead.',
      'x.yaml:6:40: `{{ref}}` cannot be filled in: a row of rows.jsonl has no `ref`',
      'x.yaml:7:46: `evaluators[1].config.maxMs` must be a number, not text',
    ]);
  });

  it('are missed where there are braces but no dataset, or braces around something else', async () => {
    const text =
      'name: a\nconnector: http://localhost/chat\nsuccessCriteria: x\nuserMessages: ["Use {{x}}", "{{#if y}}"]\n';
    expect((await read(text)).warnings).toEqual([
      'x.yaml:4:21: `{{x}}` is not replaced: there is no `dataset`',
      'x.yaml:4:30: `{{#if y}}` is not replaced: there is no `dataset`',
    ]);
    const filled = await read(`${text}dataset: rows.csv\n`, {}, { 'rows.csv': 'x\n1\n' });
    expect(filled.warnings).toEqual([
      'x.yaml:4:30: `{{#if y}}` is not replaced: a name consists of letters, digits, `_`, `.` and `-`',
    ]);
  });
});

describe('a data folder', () => {
  const files = {
    'projects/p/data/scenarios.json': JSON.stringify([
      { id: 's1', name: 'First', successCriteria: 'a', personaIds: ['p2', 'p1'], createdAt: 'x', updatedAt: 'y' },
      { id: 's2', name: 'Second', failureCriteria: 'b', failureCriteriaMode: 'every_turn', instructions: null },
      { id: 's3', name: 'Alone', evaluators: [{ type: 'regex', config: { pattern: 'x' } }], connectorId: 'c2' },
    ]),
    'projects/p/data/connectors.json': JSON.stringify([
      { id: 'c1', name: 'Prod', type: 'http', baseUrl: 'http://prod', createdAt: 'x' },
      { id: 'c2', name: 'Graph', type: 'langgraph', baseUrl: 'http://graph', config: { assistantId: 'a' } },
    ]),
    'projects/p/data/personas.json': JSON.stringify([
      { id: 'p1', name: 'Ada', description: 'd', imageUrl: null },
      { id: 'p2', name: 'Bob', systemPrompt: 's', headers: { a: 'b' } },
    ]),
    'projects/p/data/evals.json': JSON.stringify([
      { id: 'e1', name: 'Nightly', scenarioIds: ['s1', 's2'], connectorId: 'c1', createdAt: 'x' },
      { id: 'e2', name: 'Graphs', scenarioIds: ['s1'], connectorId: 'c2' },
    ]),
    'projects/p/data/runs.json': '[]',
    'projects/p/data/executions.json': '[{ "id": 1, "evalId": "e1" }]',
  };

  it('is each scenario of a set with each persona and the connector of the set', async () => {
    const folder = await temporaryFolder(files);
    const { scenarios, problems, warnings, otherFiles } = await loadConversations(folder, ['projects']);
    expect(problems.map(formatProblem)).toEqual([]);
    expect(warnings).toEqual([]);
    expect(otherFiles).toHaveLength(5);
    expect(scenarios.map(({ name, tags, variants }) => ({ name, tags, variants }))).toEqual([
      {
        name: 'First',
        tags: ['Nightly', 'Graphs'],
        variants: [
          { connector: 'Prod', persona: 'Bob' },
          { connector: 'Prod', persona: 'Ada' },
          { connector: 'Graph', persona: 'Bob' },
          { connector: 'Graph', persona: 'Ada' },
        ],
      },
      { name: 'Second', tags: ['Nightly'], variants: [{ connector: 'Prod' }] },
      { name: 'Alone', tags: [], variants: [{ connector: 'Graph' }] },
    ]);
    expect(new Set(scenarios.map(({ contentHash }) => contentHash)).size).toBe(3);
  });
});
