import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readScript, startScriptedModel } from '../src/models/scripted/index.ts';
import { assay } from './support/assay.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

describe('the task manager example', () => {
  it('shows what the better AGENTS.md changes', async () => {
    const store = ['--store', `sqlite:${await temporaryFolder()}/assay.db`];
    const result = await assay(['run', '--json', '--no-cache', ...store], { cwd: `${root}/examples/taskmgr` });
    const { outcome, trials } = JSON.parse(result.stdout);
    const figures = Object.fromEntries(
      trials.map(({ variant, interaction }: { variant: { guidance: string }; interaction: Record<string, number> }) => [
        variant.guidance,
        [
          interaction.total_commands,
          interaction.error_rate,
          interaction.help_invocations,
          interaction.first_try_success_rate,
        ],
      ]),
    );
    expect(outcome).toBe('pass');
    expect(figures).toEqual({ poor: [8, 0.25, 2, 0.75], good: [4, 0, 0, 1] });
    expect(result.exitCode).toBe(0);
  });
});

describe('the judged example', () => {
  it('passes with its scripted model', async () => {
    const store = ['--store', `sqlite:${await temporaryFolder()}/assay.db`];
    await using model = await startScriptedModel(await readScript('examples/judged/script.yaml', root));
    const env = { OPENAI_API_KEY: 'any-key-will-do', ...model.environment };
    const result = await assay(['run', 'examples/judged/capital.yaml', '--json', '--no-cache', ...store], {
      cwd: root,
      env,
    });
    expect(JSON.parse(result.stdout)).toMatchObject({ outcome: 'pass', trials: [{ judge: { state: 'pass' } }] });
    expect(result.exitCode).toBe(0);
  });
});
