import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { criteriaReply, judgedScenario, secretKey } from '../../src/testing/support/judged-project.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const ownSecret = 'Kd83hf-Qz71mLw0-xVbT';
const token = ['ghp', 'aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0bC3dE6'].join('_');

/** A judge that says what it must not know. */
function leakingReply() {
  const reply = criteriaReply('met', 'Paris is the capital of France.');
  const [criterion] = reply.criteria;
  return { ...reply, criteria: [{ ...criterion, reasoning: `It has ${ownSecret} and ${token}.` }] };
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe('secrets that a judge quotes', () => {
  it.each([[['--reuse']], [['--record', 'tapes']]])('reach no file, and the files are private: %j', async (flags) => {
    await using model = await startScriptedModel({ rules: [{ reply: { json: leakingReply() } }] });
    const cwd = await temporaryFolder({
      's.json': judgedScenario({ model: 'openai/gpt-4o-mini', successCriteria: 'The answer names Paris' }),
      'tool.mjs': `export const answer = () => ({ text: 'Paris is the capital of France.' });\n`,
    });
    const env = { OPENAI_API_KEY: secretKey, DEPLOY_TOKEN: ownSecret, ...model.environment };
    const { stdout, exitCode } = await assay(['run', 's.json', '--json', ...flags], { cwd, env });
    expect(exitCode).toBe(0);
    const written = (await filesIn(cwd)).filter((file) => !/s\.json$|tool\.mjs$/.test(file));
    expect(written.some((file) => /judge-cache|tapes/.test(file))).toBe(true);
    for (const text of [stdout, ...(await Promise.all(written.map((file) => readFile(file, 'latin1'))))]) {
      expect(text).not.toContain(ownSecret);
      expect(text).not.toContain(token);
    }
    for (const file of written.filter((each) => /judge-cache|tapes|\.db/.test(each)))
      expect([file, (await stat(file)).mode & 0o077]).toEqual([file, 0]);
  });
});
