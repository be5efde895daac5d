import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { runTool, toolProject, toolScenario } from '../../src/testing/support/cli-tool-project.ts';
import { contentOf, scored } from '../../src/testing/support/rescoring.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

const chat = JSON.stringify([
  { role: 'user', content: 'A table for two, please' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'book', arguments: '{"guests":2}' } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: '{"id":"BK-12345"}' },
  { role: 'assistant', content: 'Booked: BK-12345' },
]);

function conversation(evaluators: readonly object[], name = 'Booking'): string {
  const connector = { type: 'http', baseUrl: 'http://127.0.0.1:9' };
  return JSON.stringify({ name, connector, userMessages: ['A table for two, please'], evaluators });
}

const booked = { type: 'regex', config: { pattern: 'BK-\\d{5}' } };
const called = { type: 'tool-called', config: { tool: 'book' } };

describe('assay score trace', () => {
  it('scores a transcript that was made elsewhere by a scenario, and runs nothing', async () => {
    const folder = await temporaryFolder({ 'chat.json': chat, 's.json': conversation([booked, called]) });
    const { document, exitCode } = await scored(['evaluate', 'chat.json', '--scenario', 's.json'], { cwd: folder });
    expect(document).toMatchObject({
      origin: { kind: 'evaluate', file: 'chat.json' },
      totals: { planned: 1, pass: 1 },
      trials: [{ scenario: 'Booking', file: 's.json', outcome: 'pass' }],
    });
    expect(exitCode).toBe(0);
    await writeFiles(folder, {
      's.json': conversation([booked, { type: 'tool-not-called', config: { tool: 'book' } }]),
    });
    const failed = await assay(['evaluate', 'chat.json', '--scenario', 's.json'], { cwd: folder });
    expect(failed).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('FAIL  Booking') });
  });

  it('gives a trace of our own the verdict that it had, with the work that lies beside it', async () => {
    const folder = await toolProject({
      scenario: toolScenario('[{ type: command_output_contains, command: my-tool list, substring: milk }]'),
      script: 'steps: ["my-tool create --title milk"]\n',
    });
    const original = await runTool(folder);
    const [trial = ''] = (await readdir(join(folder, '.assay', 'artifacts'))).filter(
      (name) => name !== 'results.jsonl',
    );
    const events = join('.assay', 'artifacts', trial, 'events.jsonl');
    const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
    const again = await scored(['evaluate', events, '--scenario', 'scenario.yaml'], { cwd: folder, env });
    const [before] = contentOf(JSON.parse(original.stdout));
    expect(again.document.trials[0]).toMatchObject({
      outcome: 'pass',
      gates: before?.gates,
      evaluatorResults: before?.evaluatorResults,
    });
    await writeFiles(folder, { 'alone/events.jsonl': '{"ts":1,"event":"spawn","command":"x","args":[]}\n' });
    const alone = await scored(['evaluate', 'alone/events.jsonl', '--scenario', 'scenario.yaml'], { cwd: folder, env });
    expect(alone.document.trials[0]).toMatchObject({ outcome: 'error', fault: { code: 'WORKSPACE_FAILED' } });
  });

  it('keeps no secret of what it reads, judged or not', async () => {
    const secret = 'sk-live-0123456789abcdef0123456789abcdef';
    const folder = await temporaryFolder({
      'chat.json': chat.replace('A table', `My key is ${secret}. A table`),
      'all/a.json': conversation([booked], 'A'),
      'all/b.json': conversation([booked], 'B'),
    });
    for (const name of [[], ['--name', 'A']]) {
      const { document } = await scored(['evaluate', 'chat.json', '--scenario', 'all', ...name], { cwd: folder });
      const shown = await assay(['show', document.trials[0]?.trialId ?? '', '--json'], { cwd: folder });
      expect(shown.stdout).toContain('My key is');
      expect(shown.stdout).not.toContain(secret);
    }
  });

  it('scores a trial that was shown as JSON, as the case that it was', async () => {
    const folder = await temporaryFolder({
      'tool.mjs': 'export const twice = ({ n }) => 2 * n;\n',
      's.json': JSON.stringify({
        name: 'Twice',
        call: { module: './tool.mjs', export: 'twice' },
        cases: [
          { name: 'one', input: { n: 1 }, passCriteria: ['result === 2'] },
          { name: 'two', input: { n: 2 }, passCriteria: ['result === 5'] },
        ],
      }),
    });
    const run = await scored(['run', 's.json'], { cwd: folder });
    const shown = await assay(['show', run.document.trials[1]?.trialId ?? '', '--json'], { cwd: folder });
    await writeFiles(folder, { 'trial.json': shown.stdout });
    const again = await scored(['evaluate', 'trial.json', '--scenario', 's.json'], { cwd: folder });
    expect(contentOf(again.document)).toEqual([contentOf(run.document)[1]]);
    const other = await scored(['evaluate', 'trial.json', '--scenario', 's.json', '--case', 'one'], { cwd: folder });
    expect(other.document.trials[0]).toMatchObject({ caseId: 'one', outcome: 'fail' });
  });

  it('refuses a file that cannot be read, a scenario that is none, and a case that is not there', async () => {
    const folder = await temporaryFolder({ 'chat.json': chat, 'empty.json': '', 's.json': conversation([booked]) });
    const refused = async (...args: string[]) => {
      const { exitCode, stderr } = await assay(['evaluate', ...args], { cwd: folder });
      return `${exitCode} ${stderr}`;
    };
    expect(await refused('gone.json', '--scenario', 's.json')).toMatch(/^2 error: There is no file gone\.json/);
    expect(await refused('empty.json', '--scenario', 's.json')).toMatch(
      /^2 error: empty\.json could not be evaluated: /,
    );
    expect(await refused('chat.json', '--scenario', 'chat.json')).toMatch(/^2 .*not a scenario/s);
    expect(await refused('chat.json', '--scenario', 's.json', '--case', 'x')).toMatch(/^2 error: There is no case "x"/);
    expect(await refused('chat.json', '--scenario', 's.json', '--format', 'x')).toMatch(/^2 error: There is no format/);
    expect(await refused('chat.json')).toMatch(/^2 .*--scenario/s);
  });

  it('says when it does not know which scenario is meant, and judges nothing then', async () => {
    const folder = await temporaryFolder({
      'chat.json': chat,
      'all/a.json': conversation([booked], 'A'),
      'all/b.json': conversation([called], 'B'),
    });
    const unknown = await scored(['evaluate', 'chat.json', '--scenario', 'all'], { cwd: folder });
    expect(unknown).toMatchObject({ exitCode: 3, document: { trials: [{ outcome: 'skipped' }] } });
    expect(unknown.document.trials[0]?.reason).toMatch(/^There are 2 scenarios, and .*: choose one with --name$/);
    const named = await scored(['evaluate', 'chat.json', '--scenario', 'all', '--name', 'B'], { cwd: folder });
    expect(named).toMatchObject({ exitCode: 0, document: { trials: [{ scenario: 'B', outcome: 'pass' }] } });
  });
});
