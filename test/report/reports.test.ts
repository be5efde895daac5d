import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { type Block, plainWords } from '../../src/shared/blocks/block.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { reportDocumentIn } from '../../src/testing/support/reported-figures.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

/** Passes, fails and breaks, with text that no report may take for markup. */
const project = {
  'assay.config.yaml': 'scenarios: [good.yaml, bad.yaml]\n',
  'tool.mjs': `export function echo(input) {
  if (input.crash) return BigInt(1);
  return input;
}
`,
  'good.yaml': `name: Good
call: { module: ./tool.mjs, export: echo }
input: { value: 1 }
passCriteria: [result.value === 1]
evaluators:
  - { type: duration }
  - { type: measure, config: { name: doubled, expression: result.value * 2 } }
`,
  'bad.yaml': `name: 'Bad <b>&"quotes"</b> | pipe'
call: { module: ./tool.mjs, export: echo }
cases:
  - name: fails
    input: { text: "]]> <script>alert('x')</script> \\u0007 & more" }
    passCriteria: ["result.text === 'clean'"]
    failCriteria: ["result.text.includes('script')"]
  - name: breaks
    input: { crash: true }
    passCriteria: [result !== undefined]
  - name: passes
    input: { text: ok }
    passCriteria: ["result.text === 'ok'"]
`,
};

describe('the tests of tools that are called directly', () => {
  it.each([1, 21])('are not listed on the console for a run of %d trials', async (repeat) => {
    const folder = await temporaryFolder(project);
    const { stdout } = await assay(['run', 'good.yaml', '--repeat', String(repeat)], { cwd: folder });
    expect(stdout).toContain(`Good ${repeat}/${repeat}`);
    expect(stdout).not.toContain('criteria met');
  });

  it('are listed with their answers on the console, and with the counts of their criteria in other reports', async () => {
    const folder = await temporaryFolder(project);
    const { stdout } = await assay(['run'], { cwd: folder });
    // Trials that did not pass come first.
    expect(stdout).toMatch(/Cases\n +case +(?:input +)?answer\n(?: +[✗!] (?:fails|breaks) .*\n){2} +✓ Good /);
    expect(stdout).not.toContain('Performance');
    expect(stdout).toContain('pass rate ');

    const markdown = (await assay(['report', 'latest', '--format', 'markdown', '-o', '-'], { cwd: folder })).stdout;
    expect(markdown).toContain('- ✓ **PASS** Good (1/1 pass criteria met, 0/0 fail criteria)');
    expect(markdown).toContain('(0/1 pass criteria met, 1/1 fail criteria)');
    expect(markdown).toMatch(/\| scenario \| tests \| mean \| median \| p95 \| slowest \|\n.+\n\| Good \| 1 \|/);
    expect(markdown).not.toContain('<b>');

    const page = (await assay(['report', 'latest', '--format', 'html', '-o', '-'], { cwd: folder })).stdout;
    const { sections } = reportDocumentIn(page).breakdown;
    const drawn = ['Tests', 'Performance'].map((name) => sections.find(({ title }) => title === name));
    const [[tests], [performance]] = drawn.map((section) => section?.blocks ?? []) as [Block[], Block[]];
    const items = tests?.kind === 'list' ? tests.items : [];
    expect(items.map(({ words }) => plainWords(words)).join('\n')).toContain(
      '(0/1 pass criteria met, 1/1 fail criteria)',
    );
    const rows = performance?.kind === 'table' ? performance.rows : [];
    expect(rows.map(({ cells }) => cells.slice(0, 2))).toContainEqual(['Good', '1']);
  });

  it('are cut with a note where there are many, and absent where nothing has criteria', async () => {
    const cases = Array.from({ length: 201 }, (_, n) => ({
      name: `c${n}`,
      input: { n },
      passCriteria: [`result.n === ${n}`],
    }));
    const many = { name: 'Many', call: { module: './tool.mjs', export: 'echo' }, cases };
    const folder = await temporaryFolder({ 'tool.mjs': project['tool.mjs'], 'many.json': JSON.stringify(many) });
    const markdown = ['--reporter', 'markdown'];
    const { stdout } = await assay(['run', 'many.json', ...markdown], { cwd: folder });
    expect(stdout.match(/✓ \*\*PASS\*\* Many/g)).toHaveLength(200);
    expect(stdout).toContain('Only the first 200 tests of the run');

    const plain = { name: 'Plain', call: many.call, input: { n: 1 } };
    const evaluators = [{ type: 'json-subset', config: { subset: { n: 1 } } }];
    await writeFile(join(folder, 'plain.json'), JSON.stringify({ ...plain, evaluators }));
    const run = await assay(['run', 'plain.json', ...markdown], { cwd: folder });
    expect(run).toMatchObject({ exitCode: 0, stdout: expect.not.stringContaining('Performance') });
  });
});

describe('reports', () => {
  it('writes JUnit XML that a schema check accepts, with the right counts', async () => {
    const folder = await temporaryFolder(project);
    const result = await assay(['run', '--reporter', 'junit'], { cwd: folder });
    expect(result.exitCode).toBe(1);
    const schema = await readFile(fileURLToPath(new URL('../fixtures/junit.xsd', import.meta.url)), 'utf8');
    const checked = await validateXML({ xml: [{ fileName: 'junit.xml', contents: result.stdout }], schema: [schema] });
    expect(checked.errors).toEqual([]);
    expect(result.stdout).toMatch(/<testsuites name="assay r-[^"]+" tests="4" failures="1" errors="1"/);
    expect(result.stdout).toContain('type="TARGET_OUTPUT_NOT_JSON"');
    expect(result.stdout).not.toContain('<script>');
  });

  it('writes the run document that scripts rely on', async () => {
    const folder = await temporaryFolder(project);
    const result = await assay(['run', '--json'], { cwd: folder });
    const document = JSON.parse(result.stdout);
    expect(document).toMatchObject({
      schema: 'assay.run/1',
      outcome: 'fail',
      reason: '1 of 4 trials failed',
      totals: { planned: 4, pass: 2, fail: 1, error: 1, skipped: 0, notRun: 0 },
      costUsd: 0,
      usage: null,
    });
    const [good, fails, breaks] = document.trials;
    expect(good).toMatchObject({
      scenario: 'Good',
      file: 'good.yaml',
      variant: {},
      repeat: 1,
      outcome: 'pass',
      metrics: { doubled: 2 },
      interaction: null,
      gates: [],
      gates_passed: 0,
      gates_total: 0,
      judge: null,
      workflow: null,
      toolHealth: null,
    });
    expect(
      good.evaluatorResults.map((entry: { type: string; kind: string; success: boolean }) => [
        entry.type,
        entry.kind,
        entry.success,
      ]),
    ).toEqual([
      ['criteria', 'assertion', true],
      ['duration', 'metric', true],
      ['measure', 'metric', true],
    ]);
    expect(fails).toMatchObject({ outcome: 'fail', criteria: { verdict: 'FAIL' } });
    expect(breaks).toMatchObject({
      outcome: 'error',
      criteria: null,
      fault: { code: 'TARGET_OUTPUT_NOT_JSON', blame: 'target' },
    });
  });

  it('writes several reports into a folder and keeps stdout for people', async () => {
    const folder = await temporaryFolder(project);
    const result = await assay(['run', '--reporter', 'console,json,junit,markdown', '--output', 'out'], {
      cwd: folder,
    });
    expect(result.stdout).toContain('4 trials: 2 passed, 1 failed, 1 could not be judged');
    expect(JSON.parse(await readFile(join(folder, 'out/run.json'), 'utf8')).totals.planned).toBe(4);
    expect(await readFile(join(folder, 'out/junit.xml'), 'utf8')).toContain('<testsuites');
    const markdown = await readFile(join(folder, 'out/report.md'), 'utf8');
    expect(markdown).toContain('4 trials: 2 passed, 1 failed, 1 could not be judged');
    expect(markdown).not.toContain('<script>');
    expect(markdown).toContain("`result.text === 'clean'`");
  });

  it('tells people what failed, why, and what to do', async () => {
    const folder = await temporaryFolder(project);
    const { stdout } = await assay(['run'], { cwd: folder });
    expect(stdout).toContain("✗ result.text === 'clean'");
    expect(stdout).toContain('FAIL');
    expect(stdout).toContain('TARGET_OUTPUT_NOT_JSON, source: tool');
    expect(stdout).toMatch(/assay show t-[0-9a-f]{12}-\d+-1/);
    expect(stdout).not.toContain('\u001B[');
  });

  it('changes no verdict when a report cannot be written, but does not exit 0', async () => {
    const folder = await temporaryFolder(project);
    await writeFile(join(folder, 'taken'), '');
    const result = await assay(['run', 'good.yaml', '--reporter', 'json', '--output', 'taken'], { cwd: folder });
    expect(result.exitCode).toBe(3);
    expect(result.stderr).toContain('the json report could not be written');
    expect(JSON.parse((await assay(['runs', '--json'], { cwd: folder })).stdout)).toMatchObject([{ outcome: 'pass' }]);
  });
});
