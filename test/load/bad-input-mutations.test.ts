import { describe, expect, it } from 'vitest';
import { structuralMutations, textualMutations } from '../../src/testing/support/malformed-files.ts';
import { expectReadable, load, toolFile } from '../../src/testing/support/problems.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const mutations = (['.yaml', '.json'] as const).flatMap((extension) => [
  ...structuralMutations(extension),
  ...textualMutations(extension),
]);

describe('files made wrong in one place', () => {
  it('are at least 500', () => {
    expect(mutations.filter(({ expected }) => expected === 'broken').length).toBeGreaterThan(500);
  });

  it('are all refused with a place and plain words, or loaded when the change is harmless', async () => {
    const folder = await temporaryFolder({
      ...toolFile,
      ...Object.fromEntries(mutations.map(({ file, text }) => [file, text])),
    });
    for (const { file, text, change, expected } of mutations) {
      const { problems, scenarios } = await load(folder, file);
      const about = `${file}: ${change}`;
      if (expected !== 'either') expect(problems.length === 0 ? 'right' : 'broken', `${about}\n${text}`).toBe(expected);
      expect(scenarios.length, about).toBe(problems.length === 0 ? 1 : 0);
      for (const problem of problems) {
        expect(problem.at.file, about).toBe(file);
        expectReadable(problem, text);
      }
    }
  });

  it('tell a misspelt key once, with the name that was meant', async () => {
    const misspelt = structuralMutations('.yaml').filter(
      ({ change, expected }) => change.startsWith('misspell') && expected === 'broken',
    );
    const folder = await temporaryFolder({
      ...toolFile,
      ...Object.fromEntries(misspelt.map(({ file, text }) => [file, text])),
    });
    for (const { file, change } of misspelt) {
      const meant = change.split('.').at(-1)?.replace('misspell ', '');
      const { problems } = await load(folder, file);
      expect(
        problems.map((problem) => problem.hint),
        change,
      ).toContain(`Did you mean \`${meant}\`?`);
      expect(problems.length, change).toBe(1);
    }
  });
});
