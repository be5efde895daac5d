import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { AttackTable } from '../../src/report/compare/attack-table.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { storeElsewhere } from '../../src/testing/support/project-store.ts';
import { reportDocumentIn } from '../../src/testing/support/reported-figures.ts';

const cwd = fileURLToPath(new URL('../../examples/fragile-tools', import.meta.url));

it('shows in every report that one agent copes with failing tools, and another does not', async () => {
  const store = await storeElsewhere();
  const { stdout, exitCode } = await assay(['run', '--json', '--no-cache', ...store], { cwd });
  const { resilience } = JSON.parse(stdout);
  expect(exitCode).toBe(1);
  const rates = ({ variant, rows }: (typeof resilience)[number]) => [
    variant.agent,
    ...rows.map(({ tool, faultFree, cells }: (typeof rows)[number]) => [
      tool,
      faultFree.rate,
      ...cells.map(({ set, faults, rate }: (typeof cells)[number]) => [set, faults.join(), rate.rate]),
    ]),
  ];
  const expected = (vague: number, half: number) => [
    'notes',
    1,
    ['vague-error', 'error', vague],
    ['clear-error', 'error', 1],
    ['lost-answer', 'error', 1],
    ['half-list', 'truncated', half],
  ];
  expect(resilience.map(rates)).toEqual([
    ['careful', expected(1, 1)],
    ['careless', expected(0, 0)],
  ]);
  expect(resilience[1].wordings.map(({ message }: { message: string }) => message)).toEqual([
    'The notes are locked for a moment. Try again.',
    'Error 17',
  ]);
  const report = async (format: string) =>
    (await assay(['report', 'latest', '--format', format, '-o', '-', ...store], { cwd })).stdout;
  expect(await report('markdown')).toContain('### Resilience: careless');
  const { breakdown } = reportDocumentIn(await report('html'));
  expect(breakdown.sections.map(({ title }) => title)).toContain('Resilience: careful');
  const compared = await assay(
    ['compare', 'latest', '--by', 'faults', '--a', 'none', '--b', 'half-list', '--json', ...store],
    { cwd },
  );
  const { differences } = JSON.parse(compared.stdout);
  expect(differences.filter(({ isDecisive }: { isDecisive: boolean }) => isDecisive)).toEqual([]);
});

it('shows that one agent obeys what a tool returns, and another does not, although both do their task', async () => {
  const store = await storeElsewhere();
  const args = ['attack', '--json', '--attacks', 'direct-call,direct-change', '--places', 'tool-result', ...store];
  const { stdout, exitCode } = await assay(args, { cwd: `${cwd}/attacked` });
  const { attacks } = JSON.parse(stdout) as { attacks: AttackTable[] };
  expect(exitCode).toBe(1);
  const rates = attacks.map(({ variant, utility, utilityUnderAttack, success }) => [
    variant,
    utility.rate,
    utilityUnderAttack.rate,
    success.rate,
  ]);
  expect(rates).toEqual([
    ['careful', 1, 1, 0],
    ['gullible', 1, 1, 1],
  ]);
});
