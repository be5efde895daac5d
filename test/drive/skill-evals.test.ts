import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const skill =
  '---\nname: totals\ndescription: Sums up files. Use it for totals.\n---\n\nAdd up the last column of the file.\n';
const evals = {
  skill_name: 'totals',
  evals: [
    {
      id: 1,
      prompt: 'Sum up',
      expected_output: 'secret-answer',
      files: ['evals/files/data/a.csv', 'evals/files/more'],
    },
    { id: 2, prompt: 'And now?', expected_output: 'secret-answer' },
  ],
};

describe('the trials of a published skill', () => {
  it('begin with the files of their case, and the agent finds no expectations in the skill', async () => {
    const cwd = await temporaryFolder({
      'assay.config.yaml': 'scenarios: [skills]\nagent: scripted\nagents: { scripted: { script: agent.yaml } }\n',
      'agent.yaml': 'steps:\n  - find . -type f | sort\n  - grep -r secret-answer . || echo nothing\n',
      'skills/totals/SKILL.md': skill,
      'skills/totals/evals/evals.json': JSON.stringify(evals),
      'skills/totals/evals/files/data/a.csv': 'x,1\n',
      'skills/totals/evals/files/more/b.txt': 'y\n',
    });
    const { runId, trials } = JSON.parse((await assay(['run', '--json', '--no-judge'], { cwd })).stdout);
    const seen: Record<string, string> = {};
    for (const { trialId, caseId, variant } of trials) {
      const { stdout } = await assay(['show', trialId, '--json'], { cwd });
      const { trace } = JSON.parse(stdout) as { trace: { type: string; result?: unknown }[] };
      const results = trace.filter(({ type }) => type === 'tool-result').map(({ result }) => String(result).trim());
      seen[`${caseId} ${variant.skills}`] = results.join('; ').replaceAll('\n', ' ');
    }
    expect(runId).toBeTruthy();
    expect(seen).toEqual({
      '1 with': './.agents/skills/totals/SKILL.md ./data/a.csv ./more/b.txt; nothing',
      '1 without': './data/a.csv ./more/b.txt; nothing',
      '2 with': './.agents/skills/totals/SKILL.md; nothing',
      '2 without': '; nothing',
    });
  });
});
