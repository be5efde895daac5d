import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type ScriptSource, startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { criteriaReply, judgedScenario, secretKey } from '../../src/testing/support/judged-project.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const tool = `export const answer = () => ({ text: 'Paris is the capital of France.' });\n`;
const judge = { model: 'openai/gpt-4o-mini', successCriteria: 'The answer names Paris' };

const says = (answer: string): ScriptSource['rules'] => [{ reply: { json: criteriaReply(answer) } }];

/** "Met" for every fifth request, up to the fortieth: each rule sees what the rules before it left. */
const everyFifth: ScriptSource['rules'] = [
  ...[40, 35, 30, 25, 20, 15, 10, 5].map((nth) => ({ when: { nth }, reply: { json: criteriaReply('met') } })),
  ...says('not-met'),
];

async function judgedBy(rules: ScriptSource['rules'], scenario = judgedScenario(judge)) {
  const model = await startScriptedModel({ rules });
  const cwd = await temporaryFolder({ 's.json': scenario, 'tool.mjs': tool });
  const env = { OPENAI_API_KEY: secretKey, ...model.environment };
  const run = async (...flags: string[]) => {
    const before = model.log().length;
    const result = await assay(['run', 's.json', '--json', ...flags], { cwd, env });
    return { ...result, document: JSON.parse(result.stdout), calls: model.log().length - before };
  };
  return { run, cwd, env, [Symbol.asyncDispose]: () => model[Symbol.asyncDispose]() };
}

describe('a verdict', () => {
  it.each([[[]], [['--reuse']]])('is given again for every trial of repeats, with the flags %j', async (flags) => {
    await using project = await judgedBy(everyFifth);
    for (const _ of [1, 2]) {
      const { document, calls } = await project.run('--repeat', '20', ...flags);
      expect(calls).toBe(20);
      expect(document).toMatchObject({ totals: { pass: 4, fail: 16 }, reused: 0 });
    }
    const compared = await assay(['compare', 'latest~1', 'latest', '--json'], project);
    expect(JSON.parse(compared.stdout).answer).not.toBe('better');
  });

  it('is never that of another server, nor of an earlier run unless that was requested', async () => {
    await using a = await judgedBy(says('met'));
    await using b = await judgedBy(says('not-met'));
    expect((await a.run('--reuse')).document.totals).toMatchObject({ pass: 1 });
    expect(await a.run()).toMatchObject({ calls: 1, document: { reused: 0 } });
    const other = await assay(['run', 's.json', '--json', '--reuse'], { cwd: a.cwd, env: b.env });
    expect(JSON.parse(other.stdout)).toMatchObject({ totals: { fail: 1 }, reused: 0 });
    const { document } = await a.run('--reuse');
    expect(document).toMatchObject({ totals: { pass: 1 }, reused: 1 });
  });

  it('is not shared by equal trials of one run', async () => {
    const twice = JSON.stringify({
      ...JSON.parse(judgedScenario(judge)),
      cases: ['one', 'two'].map((id) => ({ name: id, input: { question: 'Where?' } })),
      input: undefined,
    });
    await using project = await judgedBy(says('met'), twice);
    expect(await project.run('--reuse', '--concurrency', '1')).toMatchObject({ calls: 2, document: { reused: 0 } });
    expect(await project.run('--reuse')).toMatchObject({ calls: 0, document: { reused: 2 } });
  });

  it('that is reused costs nothing, is not evidence, and is named in every report', async () => {
    await using project = await judgedBy(says('met'));
    await project.run('--reuse');
    const { calls, document, exitCode } = await project.run('--reuse');
    expect([exitCode, calls]).toEqual([0, 0]);
    const [trial] = document.trials;
    expect(trial).toMatchObject({ outcome: 'pass', costUsd: 0, hasReusedVerdict: true, judge: { isCached: true } });
    expect(document).toMatchObject({ reused: 1, passRate: { trials: 0, interval: null } });
    const output = ['--reporter', 'console,junit,markdown,csv,html,github,sarif', '--output', 'reports'];
    const named = await assay(['run', 's.json', '--reuse', ...output], project);
    expect(named.stdout).toContain('1 reused from earlier runs');
    const report = (name: string) => readFile(join(project.cwd, 'reports', name), 'utf8');
    const sentence = 'The verdict was reused from an earlier run; the judge did not run again.';
    for (const name of ['junit.xml', 'trials.csv']) expect(await report(name), name).toContain(sentence);
    for (const name of ['report.md', 'github-summary.md'])
      expect(await report(name), name).toContain('1 reused from earlier runs');
    expect(detailsIn(await report('report.html'))).toContain('"hasReusedVerdict":true');
    expect((await assay(['show', trial.trialId], project)).stdout).toContain(sentence);
    const compared = await assay(['compare', 'latest~1', 'latest', '--json'], project);
    expect(compared.stdout).toContain('1 cached trial, not counted as new evidence.');
  });
});

/** The details of trials in an HTML report, which are compressed. */
function detailsIn(html: string): string {
  const packed = html.match(/[A-Za-z0-9+/]{100,}={0,2}/g) ?? [];
  return packed.map((text) => unpacked(Buffer.from(text, 'base64'))).join('\n');
}

function unpacked(bytes: Buffer): string {
  try {
    return unzipSync(bytes).toString('utf8');
  } catch {
    return '';
  }
}
