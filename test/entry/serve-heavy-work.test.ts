import { describe, expect, it } from 'vitest';
import type { FileCheck } from '../../src/entry/server/api/project.ts';
import type { Comparison } from '../../src/report/compare/comparison.ts';
import { finishedTrial, runHeader } from '../../src/testing/samples.ts';
import { openProjectStore } from '../../src/testing/support/project-store.ts';
import { type Serving, serving } from '../../src/testing/support/serving.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const trials = 6_000;

/** Two runs; in the second, the first 600 cases fail. */
async function storeOfLargeRuns(cwd: string): Promise<void> {
  await using store = await openProjectStore(cwd);
  for (const [runId, failing] of [
    ['r-before', 0],
    ['r-after', 600],
  ] as const) {
    await store.createRun(runHeader(runId, { planned: trials, status: 'finished', finishedAt: 1_700_000_900_000 }));
    const outcome = (ordinal: number) => (ordinal < failing ? 'fail' : 'pass');
    await store.saveTrials(
      Array.from({ length: trials }, (_, ordinal) => finishedTrial(runId, ordinal, { outcome: outcome(ordinal) })),
    );
  }
}

function scenarioOf(cases: number, call: string): string {
  const lines = Array.from({ length: cases }, (_, index) => `  - { name: c${index}, input: { a: ${index} } }`);
  return `name: big\ncall: ${call}\ncases:\n${lines.join('\n')}\npassCriteria: [result > 0]\n`;
}

function check({ request }: Serving, text: string): Promise<Response> {
  return request('/api/files-check', {
    method: 'POST',
    body: JSON.stringify({ path: 'big.yaml', kind: 'scenario', text }),
  });
}

describe('heavy work of the server', () => {
  it('is done in threads: other requests are answered meanwhile, and results and refusals arrive', async () => {
    const cwd = await temporaryFolder({ 'other.yaml': scenarioOf(1, '{ command: cat }') });
    await storeOfLargeRuns(cwd);
    const server = await serving(cwd);

    // A file is parsed in one go, so a server that did it itself would answer nothing else from then on.
    let isChecked = false;
    let answered = 0;
    const checking = check(server, scenarioOf(20_000, '{ command: cat }')).finally(() => {
      isChecked = true;
    });
    for (; !isChecked; answered++) await (await server.request('/api/runs')).text();
    expect(answered).toBeGreaterThan(20);
    const { problems, scenarios } = (await (await checking).json()) as FileCheck;
    expect(scenarios).toEqual([{ name: 'big', cases: 20_000, trials: 20_000 }]);
    expect(problems).toMatchObject([{ message: expect.stringContaining('first at other.yaml') }]);

    const wrong = (await (await check(server, scenarioOf(5_000, '{ comand: cat }'))).json()) as FileCheck;
    expect(wrong.problems[0]).toMatchObject({ line: 2, severity: 'error' });

    const compared = (await (await server.request('/api/compare?a=r-before&b=r-after')).json()) as Comparison;
    expect(compared.answer).toBe('worse');
    expect(compared.metrics[0]).toMatchObject({ name: 'pass-rate', cases: trials });
    expect(compared.changedCases).toHaveLength(600);
    const refused = await server.request('/api/variants?run=r-before&by=model');
    expect([refused.status, await refused.json()]).toMatchObject([400, { code: 'REQUEST_INVALID' }]);
  });
});
