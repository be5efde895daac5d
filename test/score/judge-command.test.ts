import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const fixture = (name: string) => readFile(fileURLToPath(new URL(name, import.meta.url)), 'utf8');
const sampleInput = await fixture('../../examples/judge-protocol/dry-run.json');
const errorInput = await fixture('../../examples/judge-protocol/column-not-found.json');
/** The protocol's sample output says 10 items where its sample input has 1. */
const sampleOutput = JSON.parse((await fixture('../fixtures/judge-output.json')).replace('has 10 items', 'has 1 item'));

const oneLine = (text: string) => JSON.stringify(JSON.parse(text));
const failing = oneLine(sampleInput).replace('"result.dryRun === true"', '"result.dryRun === false"');

describe('assay score judge', () => {
  it('answers the sample input with the sample output, field for field', async () => {
    const folder = await temporaryFolder({ 'in.json': sampleInput });
    const result = await assay(['judge', 'in.json'], { cwd: folder });
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(result.stdout)).toEqual(sampleOutput);
  });

  it('passes all five criteria of the error case', async () => {
    const result = await assay(['judge', '-'], { cwd: '.', stdin: errorInput });
    const output = JSON.parse(result.stdout);
    expect(output).toMatchObject({
      verdict: 'PASS',
      passCriteriaEvaluation: { passed: 3 },
      failCriteriaEvaluation: { avoided: 2 },
    });
    expect(result.exitCode).toBe(0);
  });

  it('exits 1 when a verdict is FAIL, and says why', async () => {
    const result = await assay(['judge', '-'], { cwd: '.', stdin: failing });
    expect(result.exitCode).toBe(1);
    expect(JSON.parse(result.stdout).summary.reason).toBe('1 of 8 pass criteria failed: result.dryRun === false');
  });

  it('answers an array with an array, lines with lines and several files with an array', async () => {
    const folder = await temporaryFolder({
      'array.json': `[${sampleInput},${errorInput}]`,
      'lines.jsonl': `${oneLine(sampleInput)}\n\n${failing}\n`,
      'one.json': errorInput,
    });
    const array = await assay(['judge', 'array.json'], { cwd: folder });
    expect(JSON.parse(array.stdout)).toHaveLength(2);
    const lines = await assay(['judge', 'lines.jsonl'], { cwd: folder });
    expect(
      lines.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).verdict),
    ).toEqual(['PASS', 'FAIL']);
    const piped = await assay(['judge', '-'], {
      cwd: folder,
      stdin: `${oneLine(sampleInput)}\n${oneLine(errorInput)}\n`,
    });
    expect(piped.stdout.trim().split('\n')).toHaveLength(2);
    const files = await assay(['judge', 'one.json', 'array.json'], { cwd: folder });
    expect(JSON.parse(files.stdout)).toHaveLength(3);
  });

  it('exits 2 on an unusable criterion, with a complete output', async () => {
    const result = await assay(['judge', '-'], {
      cwd: '.',
      stdin: oneLine(sampleInput).replace('"result.dryRun === true"', '"result.dryRun ==="'),
    });
    expect(result.exitCode).toBe(2);
    expect(JSON.parse(result.stdout)).toMatchObject({
      verdict: 'FAIL',
      summary: { confidence: 'LOW' },
      passCriteriaEvaluation: { total: 8, passed: 7 },
    });
    expect(result.stderr).toMatch(/^<stdin>:1:\d+: unusable criterion `result\.dryRun ===`: /);
  });

  it('exits 2 on input that is not the protocol, and prints nothing on stdout', async () => {
    const folder = await temporaryFolder({
      'in.json': '{\n  "testScenario": { "name": 5 },\n  "actualResult": {}\n}\n',
    });
    const result = await assay(['judge', 'in.json'], { cwd: folder });
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain('in.json:2:29: ');
  });

  it('prints the prompt for a model', async () => {
    const result = await assay(['judge', '-', '--prompt'], { cwd: '.', stdin: errorInput });
    expect(result.stdout).toMatch(/^You are an LLM judge evaluating a spreadsheet tool error handling test\./);
    expect(result.stdout).toContain('Error: Column "InvalidColumn" not found in headers');
  });
});

describe('assay score judge --llm', () => {
  const answered = (verdict: 'PASS' | 'FAIL', first: boolean) => {
    const output = structuredClone(sampleOutput);
    output.passCriteriaEvaluation.details[0].result = first;
    output.passCriteriaEvaluation.passed = first ? 8 : 7;
    output.passCriteriaEvaluation.failed = first ? 0 : 1;
    output.verdict = output.summary.verdict = verdict;
    return output;
  };

  it('keeps the computed answer and lists every disagreement of the model', async () => {
    await using model = await startScriptedModel({ rules: [{ reply: { json: answered('FAIL', false) } }] });
    const env = { OPENAI_API_KEY: 'scripted-key', ...model.environment };
    const result = await assay(['judge', '-', '--llm', '--judge-model', 'openai/gpt-4o'], {
      cwd: await temporaryFolder(),
      stdin: sampleInput,
      env,
    });
    const output = JSON.parse(result.stdout);
    expect(output).toMatchObject({
      verdict: 'PASS',
      model: {
        state: 'pass',
        model: 'openai/gpt-4o',
        disagreements: [{ list: 'pass', criterion: 'result.dryRun === true', computed: true, answered: false }],
      },
    });
    expect(result.exitCode).toBe(0);
  });

  it('exits 3 when the model could not answer, and still prints the computed answer', async () => {
    const result = await assay(['judge', '-', '--llm', '--judge-model', 'openai/gpt-4o'], {
      cwd: await temporaryFolder(),
      stdin: sampleInput,
      env: { OPENAI_API_KEY: '' },
    });
    expect(JSON.parse(result.stdout)).toMatchObject({ verdict: 'PASS', model: { state: 'error' } });
    expect(result.exitCode).toBe(3);
  });
});
