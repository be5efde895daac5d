import { once } from 'node:events';
import { cp, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import type { Improvement } from '../../src/domain/improvement.ts';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { ended, startAssay } from '../../src/testing/support/assay.ts';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const proposer = ['--proposer', 'openai/gpt-4.1'];

describe('the example', () => {
  it('keeps the idea that helps, after an interruption in each stage', { timeout: 600_000 }, async () => {
    const cwd = await temporaryFolder();
    const example = resolve('examples/improve');
    await cp(example, cwd, { recursive: true });
    await using model = await startScriptedModel(parse(await readFile(join(example, 'model.yaml'), 'utf8')));
    const env = { ...model.environment, OPENAI_API_KEY: 'any' };
    const start = ['improve', '--what', 'skill', ...proposer, '--max-steps', '1', '--max-trials', '99'];
    const resume = ['improve', '--resume', 'latest'];
    for (const [args, until] of [
      [start, '✗ '],
      [resume, 'round 1 of 3'],
      [resume, 'is tried on 5 held-out cases'],
    ] as const) {
      const child = startAssay(args, { cwd, env });
      onTestFinished(() => void child.kill('SIGKILL'));
      const done = ended(child);
      for (let text = ''; !text.includes(until); ) text += (await once(child.stderr ?? child, 'data'))[0];
      child.kill('SIGINT');
      expect((await done).exitCode).toBe(130);
    }
    const { exitCode, stdout } = await assayInProcess([...resume, '--json', '--quiet'], { cwd, env });
    expect(exitCode).toBe(0);
    const document = JSON.parse(stdout) as Improvement;
    expect(document).toMatchObject({ ending: 'steps-used-up', steps: [{ kept: 'idea-1.1' }] });
    expect(document.steps[0]?.ideas.map(({ state, trials }) => [state, trials])).toEqual([
      ['kept', 2 * 11 + 70],
      ['not-better', 33],
      ['broken', 0],
      ['broken', 0],
    ]);
    expect(model.log()).toHaveLength(1);
    const prompt = JSON.stringify(model.log());
    for (const { caseId } of document.split.heldOut)
      expect(prompt).not.toContain(caseId.replace(/^should( not)?: /, ''));
    expect(document.split.training.some(({ caseId }) => prompt.includes(caseId.replace(/^should: /, '')))).toBe(true);
    const skill = join(cwd, 'skills/changelog-entry/SKILL.md');
    expect(await readFile(skill, 'utf8')).not.toContain('whenever users should learn');
    const applied = await assayInProcess([...resume, '--apply'], { cwd, env });
    expect(applied.stdout).toContain('Applied to skills/changelog-entry/SKILL.md.');
    expect(await readFile(skill, 'utf8')).toContain('whenever users should learn');
    const report = await readFile(join(cwd, '.assay/improve', document.id, 'report.md'), 'utf8');
    expect(report).toContain('- **idea-1.3 breaks the file**: Name the skill after its purpose');
    const { stderr } = await assayInProcess(['run', '--resume', 'latest'], { cwd });
    expect(stderr).toContain(`assay experiment improve --resume ${document.id}`);
  });
});
