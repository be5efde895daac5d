import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { onlyTrial, runTool, toolProject, toolScenario } from '../../src/testing/support/cli-tool-project.ts';
import { expectReadable, load, unmarked } from '../../src/testing/support/problems.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

interface Result {
  readonly type: string;
  readonly state: string;
  readonly reason: string;
}

/** Runs a file and gives what its evaluators said of the only trial. */
async function saidOf(folder: string, file: string): Promise<Record<string, string>> {
  const { stdout, stderr } = await assay(['run', file, '--json', '--no-cache'], { cwd: folder });
  if (!stdout.startsWith('{')) throw new Error(stderr);
  const { evaluatorResults } = JSON.parse(stdout).trials[0] as { evaluatorResults: Result[] };
  return Object.fromEntries(evaluatorResults.map(({ type, state, reason }) => [type, `${state}: ${reason}`]));
}

describe('evaluators of tool use', () => {
  it('look at a tool that is called directly', async () => {
    const evaluators = [
      { type: 'tool-called', config: { tool: 'cat', args: { day: { matches: '^fri' } } } },
      { type: 'tool-result', config: { tool: 'cat', criteria: ["result.day === 'monday'"] } },
    ];
    const scenario = { name: 'direct', call: { command: 'cat' }, input: { day: 'friday' }, evaluators };
    const folder = await temporaryFolder({ 's.json': JSON.stringify(scenario) });
    const said = await saidOf(folder, 's.json');
    expect(said['tool-called']).toBe('pass: cat was called 1 time as wanted: call 1, cat({"day":"friday"})');
    expect(said['tool-result']).toMatch(/^fail: No result of cat is as wanted: call 1, .*friday/);
  });

  it('look at the tools that a conversational agent asks for', async () => {
    const agent = `export default async function ({ messages }) {
  const asked = { id: 'c', type: 'function', function: { name: 'book', arguments: '{"day":"friday"}' } };
  return { messages: [
    { role: 'assistant', content: null, tool_calls: [asked] },
    { role: 'tool', tool_call_id: 'c', content: '{"ref":"BK-1"}' },
    { role: 'assistant', content: 'Booked' },
  ] };
}
`;
    const scenario = {
      name: 'talk',
      connector: { type: 'module', config: { module: './agent.mjs' } },
      messages: [{ role: 'user', content: 'Book friday' }],
      userMessages: ['Once more'],
      evaluators: [
        { type: 'tool-result', config: { tool: 'book', equals: { ref: 'BK-1' }, of: 'last' } },
        { type: 'no-repeated-calls' },
      ],
    };
    const folder = await temporaryFolder({ 's.json': JSON.stringify(scenario), 'agent.mjs': agent });
    const said = await saidOf(folder, 's.json');
    expect(said['tool-result']).toMatch(/^pass: /);
    expect(said['no-repeated-calls']).toMatch(/^fail: 1 repeated call: call 2, book\(.*: the same as call 1$/);
  });

  it('look at the tools of a coding agent', async () => {
    const evaluators = `evaluators:
  - { type: tool-called, config: { tool: "*", criteria: ["input.command.includes('create')"] } }
  - { type: no-failed-calls, config: { exitCodes: true } }
`;
    const folder = await toolProject({
      scenario: toolScenario('[]', evaluators),
      script: 'steps:\n  - run: my-tool create --title One\n  - run: my-tool nonsense\n',
    });
    const trial = onlyTrial(await runTool(folder)) as unknown as { evaluatorResults: Result[] };
    const said = Object.fromEntries(trial.evaluatorResults.map(({ type, state }) => [type, state]));
    expect(said).toMatchObject({ 'tool-called': 'pass', 'no-failed-calls': 'fail' });
  });

  it.each([
    'tool: a\n      args: { deep: { q: { matches: ▸"(" } } }',
    'tool: a\n      args: { q: { gte: ▸"3" } }',
    'tool: a\n      args: { q: { schema: { type: ▸text } } }',
    'tool: a\n      times: ▸0',
    'tool: a\n      times: { min: 3, max: ▸2 }',
    'tool: a\n      criteria: ["input.▸"]',
    'tool: a\n      ▸arguments: {}',
  ])('say where a config is wrong: %j', async (config) => {
    const marked = `name: x\ncall: { command: cat }\ninput: {}\nevaluators:\n  - type: tool-called\n    config:\n      ${config}\n`;
    const { text, place } = unmarked(marked);
    const folder = await temporaryFolder();
    await writeFiles(folder, { 's.yaml': text });
    const { problems } = await load(folder, 's.yaml');
    for (const problem of problems) expectReadable(problem, text);
    expect(problems.map(({ at, message }) => `${at.line}:${at.column} ${message}`)).toEqual([
      expect.stringContaining(place),
    ]);
  });
});
