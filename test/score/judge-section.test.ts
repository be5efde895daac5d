import { describe, expect, it } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const model = 'openai/gpt-4o-mini';
const agent = `export default () => ({ content: 'Booked: BK-7731' });`;
const tool = `export const book = () => ({ text: 'Booked: BK-7731' });`;
const llmJudge = { type: 'llm-judge', config: { successCriteria: 'A table is booked', instructions: 'Own words' } };
const additions = {
  instructions: 'Times are in UTC',
  references: [{ name: 'menu', text: 'Soup: 4 euros' }],
  evidenceFrom: ['tools'],
};

const kinds = {
  conversation: { connector: { type: 'module', config: { module: './agent.mjs' } }, userMessages: ['A table for two'] },
  call: { call: { module: './tool.mjs', export: 'book' }, input: {} },
} as const;

async function folderOf(kind: keyof typeof kinds, more: object) {
  const scenario = { name: 'Secret name', ...kinds[kind], ...more };
  return temporaryFolder({ 's.json': JSON.stringify(scenario), 'agent.mjs': agent, 'tool.mjs': tool });
}

async function promptsOf(kind: keyof typeof kinds, more: object) {
  await using judge = await startScriptedModel({ rules: [{ reply: 'no verdict' }] });
  const cwd = await folderOf(kind, more);
  const env = { OPENAI_API_KEY: 'sk-test', ...judge.environment };
  const { stdout } = await assay(['run', 's.json', '--json'], { cwd, env });
  const results = JSON.parse(stdout).trials[0].evaluatorResults.map(({ type }: { type: string }) => type);
  return { prompts: JSON.stringify(judge.log().map(({ conversation }) => conversation)), results };
}

async function problems(kind: keyof typeof kinds, more: object) {
  const cwd = await folderOf(kind, more);
  const { exitCode, stderr, stdout } = await assay(['validate', 's.json'], { cwd });
  return { exitCode, text: stderr + stdout };
}

describe.each(['conversation', 'call'] as const)('the judge section of a %s', (kind) => {
  it('applies to an explicit judge, beside its own config', async () => {
    const { prompts, results } = await promptsOf(kind, { judge: { model, ...additions }, evaluators: [llmJudge] });
    expect(results).toEqual(['llm-judge']);
    for (const words of ['Times are in UTC', 'Own words', 'Soup: 4 euros']) expect(prompts).toContain(words);
    expect(prompts).not.toContain(String.raw`\"agent\" or`);
  });

  it.each([
    ['evidenceFrom', { evidenceFrom: ['tools'] }, { type: 'groundedness' }, '`groundedness` does not take it'],
    ['evidence', { evidence: 'optional' }, llmJudge, 'the section has no verdict'],
    ['passThreshold', { passThreshold: 0.5, successCriteria: 'Booked' }, undefined, 'criteria are met or not'],
  ])('is refused where nothing would read `%s`', async (key, section, evaluator, why) => {
    const found = await problems(kind, { judge: { model, ...section }, evaluators: evaluator ? [evaluator] : [] });
    expect(found).toMatchObject({ exitCode: 2, text: expect.stringContaining(`\`judge.${key}\` has no effect`) });
    expect(found.text).toContain(why);
  });
});

describe('the judge of a conversation', () => {
  it('is shown the task of the user, and not the name of the scenario', async () => {
    const { prompts } = await promptsOf('conversation', { judge: { model }, evaluators: [llmJudge] });
    expect(prompts).toContain(String.raw`{\"task\":\"A table for two\"}`);
    expect(prompts).not.toContain('Secret name');
  });

  it('adds no score beside a review of the user', async () => {
    const fidelity = { type: 'user-fidelity' };
    const { results } = await promptsOf('conversation', {
      judge: { model },
      evaluators: [fidelity, { type: 'contains', config: { text: 'Booked' } }],
    });
    expect(results).toEqual(['contains', 'user-fidelity']);
  });
});
