import { describe, expect, it } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { answerText, criteriaReply, secretKey } from '../../src/testing/support/judged-project.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const rows = Array.from({ length: 20 }, (_, row) => ({ question: row < 4 ? `unclear ${row}` : `clear ${row}` }));

function project(check: number) {
  return {
    'assay.config.yaml': `judge:
  model: openai/gpt-4o
  cascade: { model: openai/gpt-4o-mini, check: ${check} }
`,
    's.yaml': `name: Capital
call: { module: ./tool.mjs, export: answer }
dataset: ./rows.jsonl
judge: { successCriteria: The answer names Paris }
`,
    'tool.mjs': `export const answer = () => ({ text: ${JSON.stringify(answerText)} });\n`,
    'rows.jsonl': rows.map((row) => JSON.stringify(row)).join('\n'),
  };
}

async function judged(check: number, flags: readonly string[] = []) {
  const cwd = await temporaryFolder(project(check));
  await using model = await startScriptedModel({
    rules: [
      { when: { model: '/mini/', last: '/unclear/' }, reply: { json: criteriaReply('cannot-tell') } },
      { reply: { json: criteriaReply('met') } },
    ],
  });
  const env = { OPENAI_API_KEY: secretKey, ...model.environment };
  const { stdout, exitCode } = await assay(['run', 's.yaml', '--json', ...flags], { cwd, env });
  const requests = model.log().map(({ conversation }) => conversation?.model);
  const sent = (name: string): number => requests.filter((each) => each === name).length;
  const shown = await assay(['show', 'latest'], { cwd, env });
  return {
    document: JSON.parse(stdout),
    exitCode,
    shown: shown.stdout,
    cheap: sent('gpt-4o-mini'),
    dear: sent('gpt-4o'),
  };
}

describe('a judge in turn', () => {
  it('sends the dear model only what the cheap one is unsure of, and reports what that saved', async () => {
    const { document, exitCode, cheap, dear, shown } = await judged(0);
    expect({ exitCode, cheap, dear }).toEqual({ exitCode: 0, cheap: 20, dear: 4 });
    expect(document.judgeShare.cascade).toMatchObject({ settled: 16, escalated: 4, checked: 0 });
    expect(shown).toContain('16 of 20 verdicts by the first model alone; none of its sure ones was checked; about $');
  });

  it('checks all sure verdicts where the config wants that, and reports how many agree', async () => {
    const { cheap, dear, document, shown } = await judged(1);
    expect({ cheap, dear }).toEqual({ cheap: 20, dear: 20 });
    expect(document.judgeShare.cascade).toMatchObject({ settled: 0, escalated: 4, checked: 16, agreed: 16 });
    expect(shown).toContain('16 of 16 checked ones agree with the panel (81 % to 100 %)');
  });

  it('steps aside for models of the command line', async () => {
    const { cheap, dear, document } = await judged(0, ['--judge-model', 'openai/gpt-4o']);
    expect({ cheap, dear }).toEqual({ cheap: 0, dear: 20 });
    expect(document.judgeShare.cascade).toBeUndefined();
  });
});
