import { describe, expect, it } from 'vitest';
import { runnerIn, runsOnlyWork } from './executed-words.ts';

describe('a command that runs code of the work directory', () => {
  it.each([
    ['npm test', 'npm test'],
    ['npm --silent run check', 'npm --silent run check'],
    ['cd sub && timeout 20 pytest -q', 'pytest'],
    ['python3 -m unittest', 'python3 -m unittest'],
    ['CI=1 npx --no-install lint', 'npx'],
    ['cargo fmt --check', 'cargo'],
    ['go vet ./...', 'go vet'],
    ['yarn --version', 'yarn'],
    ['bash -lc "cd sub; make all"', 'make'],
    ['uv run check', 'uv run'],
  ])('%s is one by its program', (command, runner) => {
    expect(runnerIn(command)).toBe(runner);
  });

  it.each(['grep -q make notes.txt', 'cat just', 'git log --grep cargo', 'ls | grep yarn'])(
    '%s is not: the word is not its program',
    (command) => {
      expect(runnerIn(command)).toBeUndefined();
    },
  );

  it('that names a file of the scenario needs more than the work', () => {
    expect(runsOnlyWork('npx --no-install lint')).toBe(true);
    expect(runsOnlyWork('pytest "$ASSAY_SCENARIO_FOLDER/tests"')).toBe(false);
    expect(runsOnlyWork('make -f ../gates/Makefile')).toBe(false);
  });
});
