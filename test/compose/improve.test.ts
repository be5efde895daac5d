import { cp, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Idea, Improvement } from '../../src/domain/improvement.ts';
import { type ScriptSource, startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

type ProposedIdea = { title: string; find: string; replace: string };

/** A model that always proposes these ideas. */
function proposing(ideas: readonly ProposedIdea[]): ScriptSource {
  const proposed = ideas.map(({ title, find, replace }) => ({ title, rationale: '', edits: [{ find, replace }] }));
  return { rules: [{ when: { system: 'You improve texts' }, reply: { json: { ideas: proposed } } }] };
}

async function improve(cwd: string, args: readonly string[], script: ScriptSource = proposing([])) {
  await using model = await startScriptedModel(script);
  const env = { ...model.environment, OPENAI_API_KEY: 'any' };
  const result = await assayInProcess(['improve', ...args, '--json', '--quiet'], { cwd, env });
  const document = result.stdout === '' ? undefined : (JSON.parse(result.stdout) as Improvement);
  return { ...result, document, prompts: model.log().map((logged) => JSON.stringify(logged)) };
}

const proposer = ['--proposer', 'openai/gpt-4.1'];
const statesOf = (document: Improvement | undefined): Record<string, Idea['state']> =>
  Object.fromEntries(document?.steps.flatMap(({ ideas }) => ideas.map(({ title, state }) => [title, state])) ?? []);

/** An agent that does a task of three files only if its guidance says how; each task is its own scenario. */
function guidanceProject(tasks: readonly string[], files: Readonly<Record<string, string>> = {}): Promise<string> {
  const scenarios = tasks.map((task, index) => [
    `scenarios/task-${index + 1}.yaml`,
    JSON.stringify({
      name: `Task ${index + 1}`,
      description: task,
      target: { binary: 'true' },
      task: { prompt: task },
      guidance: { own: '../AGENTS.md' },
      gates: [{ type: 'file_contains', path: 'done.txt', substring: `result-${index + 1}` }],
    }),
  ]);
  const results = tasks.map((task, index) => ({
    run: `echo result-${index + 1} > done.txt`,
    when: { prompt_contains: task, file: 'AGENTS.md', contains: 'write done.txt' },
  }));
  return temporaryFolder({
    'AGENTS.md': '# Rules\n\nBe brief.\n',
    'agent.yaml': JSON.stringify({ steps: [...results, { say: 'Done.' }] }),
    'assay.config.yaml': 'agent: scripted\nagents: { scripted: { script: agent.yaml } }\nscenarios: [scenarios]\n',
    ...Object.fromEntries(scenarios),
    ...files,
  });
}

const tasks = ['Sort the list of names', 'Paint every wall green', 'Compute last year’s taxes'];
const good = { title: 'Good', find: 'Be brief.', replace: 'Be brief, and write done.txt.' };
const whatGuidance = ['--what', 'guidance', ...proposer];

/** One tool, whose description says nothing. */
const serverText = `import { createInterface } from 'node:readline';
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const number = { type: 'number' };
const tool = {
  name: 'combine',
  description: 'Combines.',
  inputSchema: { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] },
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize') {
    const serverInfo = { name: 'calculator', version: '1.0.0' };
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === 'tools/list') send({ id, result: { tools: [tool] } });
  else if (method === 'tools/call') {
    const { a, b } = params.arguments;
    send({ id, result: { content: [{ type: 'text', text: String(a + b) }] } });
  } else if (method === 'ping') send({ id, result: {} });
  else send({ id, error: { code: -32601, message: 'Method not found' } });
});
`;

describe('guidance', () => {
  it('is kept on few cases for these cases, and further steps stop when nothing fails', {
    timeout: 300_000,
  }, async () => {
    const cwd = await guidanceProject(tasks);
    const useless = { title: 'Useless', find: 'Be brief.', replace: 'Be very brief.' };
    const twin = { ...good, title: 'Twin' };
    const { exitCode, document } = await improve(
      cwd,
      [...whatGuidance, '--apply'],
      proposing([
        useless,
        good,
        twin,
        { title: 'Leak', find: '', replace: 'Then print result-1, result-2 and result-3' },
      ]),
    );
    expect(exitCode).toBe(0);
    expect(statesOf(document)).toMatchObject({ Useless: 'not-better', Good: 'kept', Twin: 'duplicate', Leak: 'leak' });
    expect(document?.ending).toBe('nothing-failed');
    const kept = document?.steps[0]?.ideas.find(({ state }) => state === 'kept');
    expect(kept?.training).toMatchObject({ answer: 'better', isOnTheseCases: true });
    expect(kept?.heldOut).toMatchObject({ result: 'gained', meanReference: 0, mean: 1 });
    expect(await readFile(join(cwd, 'AGENTS.md'), 'utf8')).toBe('# Rules\n\nBe brief, and write done.txt.\n');
  });

  it('is not kept where the held-out cases get worse', { timeout: 300_000 }, async () => {
    const cwd = await guidanceProject(tasks);
    const first = await improve(cwd, whatGuidance);
    expect(first.document).toMatchObject({ ending: 'no-usable-idea', diff: null });
    const heldOut = first.document?.split.heldOut[0]?.scenario ?? '';
    const number = heldOut.replace('Task ', '');
    const steps = tasks.map((task, index) => {
      const isHeldOut = String(index + 1) === number;
      const rule = { prompt_contains: task, file: 'AGENTS.md', contains: 'write done.txt' };
      const when = isHeldOut ? { prompt_contains: task, not: { file: 'AGENTS.md', contains: 'write done.txt' } } : rule;
      return { run: `echo result-${index + 1} > done.txt`, when };
    });
    const other = await guidanceProject(tasks, {
      'agent.yaml': JSON.stringify({ steps: [...steps, { say: 'Done.' }] }),
    });
    const { exitCode, document } = await improve(other, whatGuidance, proposing([good]));
    expect(document?.split.heldOut.map(({ scenario }) => scenario)).toEqual([heldOut]);
    expect(exitCode).toBe(3);
    expect(document).toMatchObject({ ending: 'nothing-helped', diff: null });
    expect(statesOf(document)).toEqual({ Good: 'worse-on-held-out' });
    expect(await readFile(join(other, 'AGENTS.md'), 'utf8')).toBe('# Rules\n\nBe brief.\n');
  });

  it('ends where nothing fails, where the budget is too small, and where a reply cannot be read', async () => {
    const done = await guidanceProject(tasks, { 'AGENTS.md': 'Always write done.txt.\n' });
    expect((await improve(done, whatGuidance)).document).toMatchObject({
      ending: 'nothing-failed',
      steps: [{ ideas: [] }],
    });
    const cwd = await guidanceProject(tasks);
    const poor = await improve(cwd, [...whatGuidance, '--max-usd', '0.0001'], proposing([good]));
    expect(poor).toMatchObject({ exitCode: 3, document: { ending: 'budget-used-up' }, prompts: [] });
    const odd = await improve(cwd, whatGuidance, { rules: [{ reply: 'I have no idea.' }] });
    expect(odd).toMatchObject({ exitCode: 3, stdout: '' });
    expect(odd.stderr).toContain('The reply of openai/gpt-4.1 could not be read');
    expect(odd.prompts).toHaveLength(2);
    const resumed = await improve(cwd, ['--resume', 'latest']);
    expect(resumed).toMatchObject({ exitCode: 3, document: { ending: 'no-usable-idea' } });
  });

  it('refuses files that were changed in between', async () => {
    const cwd = await guidanceProject(tasks);
    await improve(cwd, whatGuidance, { rules: [{ reply: 'I have no idea.' }] });
    const changed = await guidanceProject(tasks, { 'AGENTS.md': 'Other rules.\n' });
    await cp(join(changed, 'AGENTS.md'), join(cwd, 'AGENTS.md'));
    const { exitCode, stderr } = await improve(cwd, ['--resume', 'latest']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('AGENTS.md was changed since it started');
  });

  it.each<[readonly string[], string, number?]>([
    [proposer, 'needs --what'],
    [['--what', 'guidance'], 'No model that proposes ideas is named', 3],
    [['--what', 'skill', ...proposer], 'No scenario has skills that could be improved'],
    [['--what', 'descriptions', ...proposer], 'No scenario has descriptions that could be improved'],
    [[...whatGuidance, '--from', 'onw'], 'There is no guidance "onw"'],
    [[...whatGuidance, 'scenarios/task-1.yaml'], 'nothing can be held out'],
    [[...whatGuidance, '--max-trials', '5', '--ideas', '4'], 'with 4 ideas beside the text as it is has'],
    [['--resume', 'latest', '--seed', '2'], '--seed cannot be changed when an improvement is resumed'],
    [['--resume', 'i-2020'], 'There is no improvement "i-2020"'],
  ])('refuses %j before anything runs', async (args, message, expected = 2) => {
    const cwd = await guidanceProject(tasks);
    const { exitCode, stderr } = await improve(cwd, args);
    expect(stderr).toContain(message);
    expect(exitCode).toBe(expected);
    expect(JSON.parse((await assayInProcess(['runs', '--json'], { cwd })).stdout)).toEqual([]);
  });
});

describe('descriptions', () => {
  /** Proposes a description, and calls the tool only where its description says what it is for. */
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const { messages, tools = [] } = JSON.parse(body);
      const isProposal = JSON.stringify(messages).includes('You improve texts');
      const isDescribed = JSON.stringify(tools).includes('Adds two numbers');
      const isAnswered = messages.at(-1).role === 'tool';
      const edits = [{ find: '"description": "Combines."', replace: '"description": "Adds two numbers."' }];
      const broken = [{ find: '"combine": {', replace: '"combine": ' }];
      const ideas = [
        { title: 'Broken', rationale: '', edits: broken },
        { title: 'Clear', rationale: '', edits },
      ];
      const call = { id: 'c1', type: 'function', function: { name: 'combine', arguments: '{"a":2,"b":3}' } };
      const message = isProposal
        ? { role: 'assistant', content: JSON.stringify({ ideas }) }
        : isDescribed && !isAnswered
          ? { role: 'assistant', content: null, tool_calls: [call] }
          : { role: 'assistant', content: isAnswered ? 'The result is 5.' : 'I cannot do that.' };
      const choice = { index: 0, message, finish_reason: 'tool_calls' in message ? 'tool_calls' : 'stop' };
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ id: 'x', object: 'chat.completion', created: 1, model: 'any', choices: [choice], usage }),
      );
    });
  });
  beforeAll(() => void server.listen(0, '127.0.0.1'));
  afterAll(() => void server.close());

  it('are improved as a wording, which --apply writes into the file', { timeout: 300_000 }, async () => {
    const cwd = await temporaryFolder({
      'server.mjs': serverText,
      'calculator.yaml': `# The calculator.
server: { transport: stdio, command: node, args: [./server.mjs] }
model: local/any
workflows:
  - { name: Apples, steps: [{ user: How many apples are in both baskets?, expectTools: [combine], expectedState: '5' }] }
  - { name: Miles, steps: [{ user: What distance did we walk, expectTools: [combine], expectedState: '5' }] }
  - { name: Bill, steps: [{ user: Tell me the price of lunch, expectTools: [combine], expectedState: '5' }] }
`,
      'assay.config.yaml': 'models: { providers: { local: { baseUrl: "${MODEL_URL}" } } }\n',
    });
    const env = { MODEL_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
    const args = [
      'improve',
      'calculator.yaml',
      '--what',
      'descriptions',
      '--proposer',
      'local/any',
      '--apply',
      '--json',
    ];
    const { exitCode, stdout, stderr } = await assayInProcess([...args, '--quiet'], { cwd, env });
    expect(stderr).toBe('');
    const document = JSON.parse(stdout) as Improvement;
    expect(statesOf(document)).toEqual({ Broken: 'broken', Clear: 'kept' });
    expect(exitCode).toBe(0);
    const written = await readFile(join(cwd, 'calculator.yaml'), 'utf8');
    expect(written).toContain('# The calculator.');
    expect(parse(written).wordings.improved.combine.description).toBe('Adds two numbers.');
  });
});
