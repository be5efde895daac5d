import { expect, it } from 'vitest';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const aboutText = [
  { type: 'contains', config: { text: 'order 42' } },
  { type: 'not-contains', config: { text: 'invoice' } },
  { type: 'regex', config: { pattern: '42' } },
  { type: 'regex', id: 'without', config: { pattern: 'invoice', mustMatch: false } },
  { type: 'similarity', config: { text: 'cannot reach the database for order 42', minimum: 0.1 } },
  { type: 'json-subset', config: { subset: { name: 'Error' } } },
  { type: 'json-path', config: { path: '$.message' } },
];

const tool = 'export const order = ({ id }) => { throw new Error(`cannot reach the database for order ${id}`); };\n';

it('the words of an error are not those of an answer', async () => {
  const scenario = (evaluator: object) => ({
    name: JSON.stringify(evaluator),
    call: { module: './order.mjs', export: 'order' },
    input: { id: 42 },
    evaluators: [evaluator, { type: 'response-length' }],
  });
  const files = aboutText.map((each, index) => [`s${index}.json`, JSON.stringify(scenario(each))]);
  const cwd = await temporaryFolder({ 'order.mjs': tool, ...Object.fromEntries(files) });
  const { stdout } = await assayInProcess(['run', '--json'], { cwd });
  const { trials } = JSON.parse(stdout);
  expect(trials).toHaveLength(aboutText.length);
  for (const { scenario, outcome, evaluatorResults, metrics } of trials) {
    expect({ scenario, outcome, metrics }).toEqual({ scenario, outcome: 'fail', metrics: { 'response-length': null } });
    expect(evaluatorResults[0].reason).toBe('The tool failed, so there is no answer');
  }
});

it('an error that is wanted is asked for by criteria', async () => {
  const scenario = {
    name: 'wanted',
    call: { module: './order.mjs', export: 'order' },
    input: { id: 42 },
    passCriteria: ["error.message.includes('order 42')"],
  };
  const cwd = await temporaryFolder({ 'order.mjs': tool, 's.json': JSON.stringify(scenario) });
  expect((await assayInProcess(['run'], { cwd })).exitCode).toBe(0);
});
