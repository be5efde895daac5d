import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const scenario = (name: string, more = '') =>
  `name: ${name}\ncall: { command: cat }\ninput: { a: 1 }\npassCriteria: ['result.a === 1']\n${more}`;
const indented = (text: string) => `- ${text.trim().replaceAll('\n', '\n  ')}\n`;

const files = {
  'a list': indented(scenario('one')) + indented(scenario('two')),
  'a key with a list': `scenarios:\n${indented(scenario('one'))}${indented(scenario('two'))}`,
  'several documents': `---\n${scenario('one')}---\n${scenario('two')}---\n`,
};

async function run(command: string, text: string, path = 's.yaml') {
  const cwd = await temporaryFolder({ 'all/s.yaml': text, 's.yaml': text });
  return assay([command, path, ...(command === 'run' ? ['--json'] : [])], { cwd });
}

describe.each(Object.entries(files))('scenarios in one file, as %s', (_form, text) => {
  it.each(['s.yaml', 'all'])('are all run, found as %s', async (path) => {
    const { stdout, stderr } = await run('run', text, path);
    expect(JSON.parse(stdout || '{}'), stderr).toMatchObject({ totals: { planned: 2, pass: 2 } });
  });

  it('have their problems at their places', async () => {
    const { exitCode, stdout, stderr } = await run(
      'validate',
      text.replace('name: two', 'name: two\nrepeet: 2'.replace('\n', text.includes('- name') ? '\n  ' : '\n')),
    );
    expect(exitCode).toBe(2);
    const line = text.split('\n').findIndex((each) => each.includes('name: two')) + 2;
    expect(stdout + stderr).toContain(`s.yaml:${line}:`);
    expect(stdout + stderr).toContain('repeet');
  });
});
