import { readFileSync } from 'node:fs';
import type { Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { isAccepted, listedOptions, refusedBy, takesValue, writtenExample } from '../../scripts/docs-reference/cli.ts';
import { optionExamples } from '../../scripts/docs-reference/option-examples.ts';
import { parserOf } from '../../src/entry/cli/command.ts';
import { shownCommands } from '../../src/entry/cli/commands/index.ts';
import { ListedFlag } from '../../src/entry/cli/options/run-options.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const rows: { readonly name: string; readonly command: string; readonly option: Option }[] = [];
for (const entry of shownCommands) {
  const own = listedOptions(parserOf(entry, await entry.load())).filter((option) => !(option instanceof ListedFlag));
  for (const option of own.filter(takesValue))
    rows.push({ name: `${entry.name} ${option.long}`, command: entry.name, option });
}

const reference = readFileSync(new URL('../../docs/reference/cli.md', import.meta.url), 'utf8');

/** An example as a shell would pass it on. */
const unquoted = (example: string): string => example.replace(/^"(.*)"$/, '$1');

describe('examples of the options of commands', () => {
  it('are different in every row of a table', () => {
    const commands = reference.split('\n## assay ').slice(1);
    const examples = commands.map((text) =>
      [...text.matchAll(/^\| `-[^|]*\| [^|]* \| (`-[^|]+) \|/gm)].map(([, cell]) => cell),
    );
    expect(examples.flat().length).toBeGreaterThan(300);
    for (const cells of examples) expect(cells).toEqual([...new Set(cells)]);
  });

  it('are given for every option with a value, and for no other', () => {
    const used = rows.map(({ name, option }) => (name in optionExamples ? name : (option.long ?? '')));
    expect([...new Set(used)].toSorted()).toEqual(Object.keys(optionExamples).toSorted());
    expect(rows.length).toBeGreaterThan(100);
  });

  it.each(rows)('are accepted, and say what happens without it and at its edge: $name', ({ command, option }) => {
    const { example = '', without, edge } = writtenExample(command, option) ?? {};
    expect(example === '' ? false : isAccepted(option, unquoted(example)), example).toBe(true);
    expect(without !== undefined || option.defaultValue !== undefined, 'say what happens without it').toBe(true);
    expect(edge !== undefined || refusedBy(option).length > 0, 'say what its edge case is').toBe(true);
  });

  it.each(rows.filter(({ option }) => refusedBy(option).length > 0))(
    'name values that the program refuses: $name',
    async ({ command, option }) => {
      const cwd = await temporaryFolder({});
      for (const value of refusedBy(option)) {
        const { exitCode, stderr } = await assay([...command.split(' '), `${option.long}=${value}`], { cwd });
        expect({ exitCode, stderr }, value).toEqual({
          exitCode: 2,
          stderr: expect.stringContaining(option.long ?? ''),
        });
      }
    },
  );
});
