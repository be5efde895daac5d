import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const tool = 'export const answer = ({ question }) => `It is ${question}`;';

async function validate(dataset: string, scenario: object) {
  const whole = { name: 'Rows', call: { module: './tool.mjs', export: 'answer' }, dataset: 'rows.csv', ...scenario };
  const files = { 's.json': JSON.stringify(whole), 'rows.csv': dataset, 'tool.mjs': tool };
  const { exitCode, stdout, stderr } = await assay(['validate', 's.json'], { cwd: await temporaryFolder(files) });
  return { exitCode, text: stdout + stderr };
}

describe('a row', () => {
  it.each(['contains', 'starts-with', 'equals', 'similarity'])(
    'with an empty `expected` is a problem at its place beside `%s`',
    async (type) => {
      const { exitCode, text } = await validate('question,expected\nA,A\nB,\n', { evaluators: [{ type }] });
      expect(exitCode).toBe(2);
      expect(text).toContain('rows.csv:3:3');
      expect(text).toContain(`\`expected\` is empty, but \`${type}\` compares the answer with it`);
    },
  );

  it('may leave out what no assertion reads', async () => {
    const evaluators = [{ type: 'contains', config: { text: 'It is' } }];
    expect(await validate('question,expected\nA,\n', { evaluators })).toMatchObject({ exitCode: 0 });
  });

  it.each(['answer', 'Expected Output', 'expected_answer', 'ideal', 'ground_truth'])(
    'whose answer would be sent to the tool is a problem: %s',
    async (column) => {
      const evaluators = [{ type: 'contains', config: { text: 'It is' } }];
      const { exitCode, text } = await validate(`question,${column}\nA,B\n`, { evaluators });
      expect(exitCode).toBe(2);
      expect(text).toContain(`\`${column}\` would be sent to the tool as part of its input`);
      const given = await validate(`input,${column}\nA,B\n`, { evaluators });
      expect(given.text).not.toContain('would be sent');
    },
  );
});

describe('a case', () => {
  it('with an empty `expected` is a problem at its place', async () => {
    const cases = [{ input: {}, expected: ' ' }];
    const { exitCode, text } = await validate('', { dataset: undefined, cases, evaluators: [{ type: 'contains' }] });
    expect(exitCode).toBe(2);
    expect(text).toContain('`expected` is empty');
  });
});
