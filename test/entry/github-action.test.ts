import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { programPath } from '../../src/testing/support/assay.ts';
import { action, actionText, runAction } from '../../src/testing/support/composite-action.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const project = {
  'app/assay.config.yaml': 'scenarios: [good.yaml, bad.yaml]\n',
  'app/tool.mjs': 'export const echo = (input) => input;\n',
  'app/good.yaml':
    'name: Good\ncall: { module: ./tool.mjs, export: echo }\ninput: { value: 1 }\npassCriteria: [result.value === 1]\n',
  'app/bad.yaml':
    'name: "::error::Bad"\ncall: { module: ./tool.mjs, export: echo }\ninput: { value: 1 }\npassCriteria: [result.value === 2]\n',
};

/** A project that has this program installed. */
async function projectFolder(): Promise<string> {
  const folder = await temporaryFolder(project);
  await mkdir(join(folder, 'app/node_modules'));
  await symlink(dirname(dirname(programPath)), join(folder, 'app/node_modules/assay'));
  return folder;
}

const inProject = { version: 'project', 'working-directory': './app/' };

/** A `gh` that writes down what it is asked, and answers what is in `GH_COMMENTS`. */
async function withGh(folder: string): Promise<Record<string, string>> {
  const gh = join(folder, 'fake-bin/gh');
  await mkdir(dirname(gh), { recursive: true });
  await writeFile(
    gh,
    `#!/bin/bash
printf '%s\\n' "$GH_TOKEN|$*" >> "$GH_LOG"
[ -z "$GH_BROKEN" ] || exit 1
case "$2" in graphql) printf '%s' "$GH_COMMENTS" ;; esac
for argument in "$@"; do case "$argument" in body=@*) cp "\${argument#body=@}" "$GH_LOG.body" ;; esac; done
`,
  );
  await chmod(gh, 0o755);
  return { PATH: `${dirname(gh)}:${process.env.PATH}`, GH_LOG: join(folder, 'gh.log'), GH_COMMENTS: '', GH_BROKEN: '' };
}

describe('the action', () => {
  it('lets no input into a script, and uses every input it declares', () => {
    const { using, steps } = action.runs;
    expect(using).toBe('composite');
    for (const { name, run, shell, uses } of steps) {
      if (run === undefined) expect(uses, name).toMatch(/^actions\/[\w-]+@v\d+$/);
      else
        expect({ name, shell, hasExpression: run.includes('${{') }).toEqual({
          name,
          shell: 'bash',
          hasExpression: false,
        });
    }
    const asked = new Set([...actionText.matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name));
    expect([...asked].sort()).toEqual(Object.keys(action.inputs).sort());
  });

  it('runs the project, writes the summary, shows failures beside their files, and exits as Assay does', async () => {
    const folder = await projectFolder();
    const result = await runAction({ folder, inputs: inProject });
    expect(result).toMatchObject({ exitCode: 1, outputs: { 'exit-code': '1' } });
    expect(result.summary).toContain('### ❌ Assay: 1 of 2 trials failed');
    expect(result.log).toMatch(/^::error file=app\/bad\.yaml,line=1,title=Assay%3A %3A%3Aerror%3A%3ABad::/m);
    const { report = '' } = result.outputs;
    expect(await readFile(join(report, 'junit.xml'), 'utf8')).toContain('<testsuites');
    expect(await readFile(join(report, 'report.html'), 'utf8')).toContain('<html');
    expect(result.used.map(({ uses }) => uses.split('@')[0])).toEqual([
      'actions/setup-node',
      'actions/upload-artifact',
    ]);
    expect(result.used[1]?.with).toMatchObject({ name: 'assay-report', path: report });
  });

  it('lets nothing that is printed meanwhile command the runner', async () => {
    const { log } = await runAction({ folder: await projectFolder(), inputs: inProject });
    const [, token = ''] = /^::stop-commands::(\S{30,})$/m.exec(log) ?? [];
    const meanwhile = log.slice(log.indexOf(token) + token.length, log.indexOf(`::${token}::`));
    expect(meanwhile).toContain('::error::Bad');
    expect(log.replace(meanwhile, '')).not.toContain('::error::Bad');
  });

  it('passes when all passed, with the paths that are named', async () => {
    const inputs = {
      ...inProject,
      paths: 'good.yaml\n',
      args: '--repeat 2\n --quiet',
      'artifact-name': '',
      'node-version': '',
    };
    const result = await runAction({ folder: await projectFolder(), inputs });
    expect(result).toMatchObject({ exitCode: 0, used: [] });
    expect(result.summary).toContain('### ✅ Assay: All 2 trials passed');
  });

  it('says so when nothing could be run', async () => {
    const result = await runAction({ folder: await projectFolder(), inputs: { ...inProject, paths: 'missing.yaml' } });
    expect(result.exitCode).toBe(2);
    expect(result.summary).toContain('Exit code 2');
  });

  it('builds itself where no version is asked for, and hands arguments over as they are', async () => {
    const folder = await temporaryFolder({
      'action/scripts/build.mjs': 'import { writeFileSync } from "node:fs"; writeFileSync("built", "");',
      'action/bin/assay.js': 'console.log(JSON.stringify(process.argv.slice(2))); process.exit(3);',
    });
    const inputs = { paths: 'a b.yaml\n$(touch x)\n*', args: '--tags a,b *', baseline: 'my base', reporter: '' };
    const result = await runAction({ folder, inputs, actionPath: join(folder, 'action') });
    expect(result.exitCode).toBe(3);
    const told = JSON.parse(result.log.split('\n').find((line) => line.startsWith('["run"')) ?? '');
    expect(told).toEqual([
      ...['run', '--reporter', 'console,github,github-comment,github-annotations'],
      ...['--output', join(folder, '.runner/assay-report'), '--baseline', 'my base', '--tags', 'a,b', '*'],
      ...['--', 'a b.yaml', '$(touch x)', '*'],
    ]);
    await expect(readFile(join(folder, 'built'), 'utf8')).resolves.toBe('');
    await expect(readFile(join(folder, 'x'))).rejects.toThrow('ENOENT');
  });
});

describe('the comment on a pull request', () => {
  const inputs = { ...inProject, comment: 'true' };

  it('is made once, and updated from then on', async () => {
    const folder = await projectFolder();
    const env = await withGh(folder);
    await runAction({ folder, inputs, pullRequest: '7', env });
    await runAction({ folder, inputs, pullRequest: '7', env: { ...env, GH_COMMENTS: '41\n42' } });
    const asked = (await readFile(join(folder, 'gh.log'), 'utf8'))
      .split('\n')
      .filter((line) => line.includes('--method'));
    expect(asked).toEqual([
      expect.stringMatching(/^token\|api --silent --method POST repos\/o\/r\/issues\/7\/comments -F body=@/),
      expect.stringMatching(/^token\|api --silent --method PATCH repos\/o\/r\/issues\/comments\/41 -F body=@/),
    ]);
    expect(await readFile(join(folder, 'gh.log.body'), 'utf8')).toMatch(/^<!-- assay-report -->\n### ❌ Assay: 1 of 2/);
  });

  it('has a name of its own where several jobs comment', async () => {
    const folder = await projectFolder();
    const env = await withGh(folder);
    await runAction({ folder, inputs: { ...inputs, 'comment-id': 'linux' }, pullRequest: '7', env });
    expect(await readFile(join(folder, 'gh.log.body'), 'utf8')).toMatch(/^<!-- assay-report linux -->\n### /);
  });

  it('changes nothing when it cannot be made, and is not tried without a pull request', async () => {
    const folder = await projectFolder();
    const env = await withGh(folder);
    const refused = await runAction({ folder, inputs, pullRequest: '7', env: { ...env, GH_BROKEN: 'yes' } });
    expect(refused.exitCode).toBe(1);
    expect(refused.log).toContain('::warning title=Assay::Could not comment on the pull request');
    await writeFile(join(folder, 'gh.log'), '');
    await runAction({ folder, inputs, env });
    expect(await readFile(join(folder, 'gh.log'), 'utf8')).toBe('');
  });
});
