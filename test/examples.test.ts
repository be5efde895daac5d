import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readScript, startScriptedModel } from '../src/models/scripted/index.ts';
import { assay } from './support/assay.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

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
