import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const tool = `const capitals = { Chile: 'Santiago', Japan: 'Tokio' };
export const capital = ({ country }) => ({ text: 'It is ' + capitals[country] });
`;

async function runWith(evaluators: string, cases = 'dataset: ./rows.csv') {
  const cwd = await temporaryFolder({
    's.yaml': `name: Capitals\ncall: { module: ./tool.mjs, export: capital }\n${cases}\nevaluators: ${evaluators}\n`,
    'tool.mjs': tool,
    'rows.csv': 'country,expected\nChile,Santiago\nJapan,Tokyo\n',
  });
  return assay(['run', 's.yaml'], { cwd });
}

describe('values of a case in the evaluators of a called tool', () => {
  it('are filled in for each row, and failures are named by their data', async () => {
    const { stdout, exitCode } = await runWith('[{ type: contains, config: { text: "{{expected}}" } }]');
    expect(exitCode).toBe(1);
    expect(stdout).toContain('The answer does not contain "Tokyo"');
    expect(stdout).toContain('✓ row-1 Chile  It is Santiago');
    expect(stdout).toContain('✗ row-2 Japan  It is Tokio');
    expect(stdout).toContain('Run again: assay run --failed');
  });

  it('are filled in for each case of the file', async () => {
    const cases = 'cases: [{ input: { country: Chile, no: Tokio } }, { input: { country: Japan, no: Tokio } }]';
    const { stdout } = await runWith('[{ type: not-contains, config: { text: "{{no}}" } }]', cases);
    expect(stdout).toContain('Capitals 1/2');
  });

  it.each([
    ['dataset: ./rows.csv', 'a row of ./rows.csv has no `capital`'],
    ['cases: [{ name: first, input: { country: Chile } }]', 'the case "first" has no `capital`'],
    ['input: { country: Chile }', 'the input has no `capital`'],
  ])('that do not exist are a problem of the file, not words that no answer contains: %s', async (cases, why) => {
    const result = await runWith('[{ type: not-contains, config: { text: "{{capital}}" } }]', cases);
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toMatch(/s\.yaml:4:\d+: `\{\{capital\}\}` cannot be filled in/);
    expect(result.stderr).toContain(why);
  });

  it('that an evaluator cannot use are a problem of the file', async () => {
    const cases = 'cases: [{ input: { country: "(" } }]';
    const result = await runWith('[{ type: regex, config: { pattern: "{{country}}" } }]', cases);
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toMatch(/s\.yaml:4:\d+: the regular expression/);
  });
});
