import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { expectReadable, load, unmarked } from '../../src/testing/support/problems.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

interface Trial {
  readonly outcome: string;
  readonly metrics: Record<string, number | null>;
  readonly evaluatorResults: readonly { readonly type: string; readonly state: string; readonly reason: string }[];
}

/** An agent that calls these tools and then gives its answer. */
const agentCalling = (
  ...calls: readonly (readonly [string, object])[]
): string => `const calls = ${JSON.stringify(calls)};
export default async () => ({ messages: [
  { role: 'assistant', content: null, tool_calls: calls.map(([name, input], index) => (
    { id: 'c' + index, type: 'function', function: { name, arguments: JSON.stringify(input) } })) },
  ...calls.map((_, index) => ({ role: 'tool', tool_call_id: 'c' + index, content: 'ok' })),
  { role: 'assistant', content: 'Done' },
] });
`;

async function trialOf(agent: string, evaluators: readonly object[], reports = ['tool-calls']): Promise<Trial> {
  const scenario = {
    name: 'talk',
    connector: { type: 'module', reports, config: { module: './agent.mjs' } },
    messages: [{ role: 'user', content: 'Book friday' }],
    evaluators: [{ type: 'contains', config: { text: 'Done' } }, ...evaluators],
  };
  const folder = await temporaryFolder({ 's.json': JSON.stringify(scenario), 'agent.mjs': agent });
  const { stdout, stderr } = await assay(['run', 's.json', '--json', '--no-cache'], { cwd: folder });
  if (!stdout.startsWith('{')) throw new Error(stderr);
  return JSON.parse(stdout).trials[0];
}

const booking = agentCalling(['find', { day: 'friday' }], ['look', {}], ['book', { day: 'friday' }], ['find', {}]);

describe('the trajectory metric', () => {
  it('gives F1, precision and recall against a reference, each metric under its own name', async () => {
    const { outcome, metrics } = await trialOf(booking, [
      { type: 'trajectory', config: { reference: ['find', { tool: 'book', args: { day: 'friday' } }, 'pay'] } },
      { type: 'trajectory', config: { reference: ['book', 'find', 'find'], inOrder: false, ignore: ['look'] } },
      { type: 'trajectory', config: { name: 'strict', reference: [{ tool: 'book', args: { day: 'monday' } }] } },
    ]);
    expect(outcome).toBe('pass');
    expect(metrics).toMatchObject({
      trajectory: 4 / 7,
      'trajectory.precision': 0.5,
      'trajectory.recall': 2 / 3,
      'trajectory:2': 1,
      'trajectory:2.precision': 1,
      'trajectory:2.recall': 1,
      strict: 0,
      'strict.precision': 0,
      'strict.recall': 0,
    });
  });

  it('counts the order unless it is switched off', async () => {
    const reference = ['book', 'find', 'look'];
    const { metrics } = await trialOf(booking, [
      { type: 'trajectory', config: { reference } },
      { type: 'trajectory', config: { name: 'free', reference, inOrder: false } },
    ]);
    expect(metrics).toMatchObject({ 'trajectory.recall': 2 / 3, 'free.recall': 1 });
  });

  it('has no precision without calls, and no figure where calls are not reported', async () => {
    const silent = `export default async () => 'Done';\n`;
    const config = { reference: ['book'] };
    const { metrics } = await trialOf(silent, [{ type: 'trajectory', config }]);
    expect(metrics).toMatchObject({ trajectory: 0, 'trajectory.precision': null, 'trajectory.recall': 0 });
    const unreported = await trialOf(silent, [{ type: 'trajectory', config }], []);
    expect(unreported.metrics.trajectory).toBeNull();
    expect(unreported.evaluatorResults.at(-1)).toMatchObject({ state: 'no-data' });
  });

  it.each([
    ['trajectory', 'reference: ▸[]'],
    ['trajectory', 'reference: [a, { tool: b, args: { q: { matches: ▸"(" } } }]'],
    ['trajectory', 'reference: [a]\n      inOrder: ▸maybe'],
    ['tool-order', 'tools: [a]\n      order: ▸superset'],
  ])('a wrong config of %s is reported where it stands: %j', async (type, config) => {
    const { text, place } = unmarked(
      `name: x\ncall: { command: cat }\ninput: {}\nevaluators:\n  - type: ${type}\n    config:\n      ${config}\n`,
    );
    const folder = await temporaryFolder();
    await writeFiles(folder, { 's.yaml': text });
    const { problems } = await load(folder, 's.yaml');
    for (const problem of problems) expectReadable(problem, text);
    expect(problems.map(({ at }) => `${at.line}:${at.column}`)).toEqual([place]);
  });
});

describe('tool-order: subset', () => {
  it.each([
    [['find', 'look', 'book', 'find'], 'pass', 'The calls are as wanted: find, look, book, find (subset)'],
    [['find', 'find', 'look', 'book', 'pay'], 'pass', 'as wanted'],
    [['find', 'look', 'book'], 'fail', '1 too many; called were find, look, book, find'],
  ])('of %j', async (tools, state, reason) => {
    const { evaluatorResults } = await trialOf(booking, [{ type: 'tool-order', config: { tools, order: 'subset' } }]);
    expect(evaluatorResults.at(-1)).toMatchObject({ state, reason: expect.stringContaining(reason) });
  });

  it('is not met by silence of an agent that reports no calls', async () => {
    const evaluators = [{ type: 'tool-order', config: { tools: ['a'], order: 'subset' } }];
    const { outcome } = await trialOf(`export default async () => 'Done';\n`, evaluators, []);
    expect(outcome).toBe('error');
  });
});
