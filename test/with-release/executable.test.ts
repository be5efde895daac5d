import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ended } from '../../src/testing/support/assay.ts';
import { serve } from '../../src/testing/support/http-server.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';
import { CleanRoot, executable, packageVersion, releaseFolder } from './clean-root.ts';

const unpackedIn = (home: string): string => {
  const place = join(home, '.cache', 'assay', 'executable');
  return join(place, readdirSync(place).join());
};

describe('the executable on a machine without Node.js', () => {
  it('has no Node.js and no shell there', async () => {
    const root = new CleanRoot(await temporaryFolder());
    for (const program of ['node', 'sh', 'npm'])
      expect((await root.run([], { program })).stderr).toMatch(/No such file or directory/);
  });

  it('answers with its version, and writes nothing', async () => {
    const home = await temporaryFolder();
    const { exitCode, stdout, stderr } = await new CleanRoot(home).run(['--version']);
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: `${packageVersion}\n`, stderr: '' });
    expect(readdirSync(home)).toEqual([]);
  });

  it.each(['tool', 'conversation', 'mcp-server'])('makes a project for a %s and runs it', async (kind) => {
    const root = new CleanRoot(await temporaryFolder());
    expect(await root.run(['init', 'project', '--kind', kind])).toMatchObject({ exitCode: 0, stderr: '' });
    const { exitCode, stdout } = await root.run(['run', '--json'], { cwd: 'project' });
    const { outcome, totals } = JSON.parse(stdout);
    expect({ exitCode, outcome, pass: totals.pass }).toEqual({ exitCode: 0, outcome: 'pass', pass: totals.planned });
    expect(totals.planned).toBeGreaterThan(0);
  });

  it('serves its pages', async () => {
    const root = new CleanRoot(await temporaryFolder());
    await root.run(['init', 'project', '--kind', 'tool']);
    const child = root.start(['serve', '--json', '--port', '0'], { cwd: 'project' });
    onTestFinished(() => void child.kill('SIGKILL'));
    const line = await new Promise<string>((resolve, reject) => {
      child.stdout?.once('data', (text) => resolve(String(text)));
      child.once('close', (code) => reject(new Error(`ended with ${code}`)));
    });
    const { url, token } = JSON.parse(line);
    const get = (path: string) => fetch(new URL(path, url), { headers: { authorization: `Bearer ${token}` } });
    const page = await (await get('/')).text();
    expect(page).toContain('<title>Assay</title>');
    const code = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? 'no script in the page';
    expect((await get(code)).status).toBe(200);
    expect(await (await get('/api/scenarios')).text()).toContain('Search orders');
  });

  it('runs tools and scenarios in TypeScript, and gives modules a Node.js that runs scripts', async () => {
    const tool = `
      import { execFileSync } from 'node:child_process';
      export const add = ({ a, b }: { a: number; b: number }): string =>
        execFileSync(process.execPath, ['-p', \`\${a} + \${b}\`], { encoding: 'utf8' }).trim();
    `;
    const scenario = {
      name: 'Adds',
      call: { module: './tool.ts', export: 'add' },
      cases: [{ input: { a: 2, b: 40 } }],
      passCriteria: ['result === "42"'],
    };
    const inCode = { ...scenario, name: 'Adds in code' };
    const home = await temporaryFolder({
      'tool.ts': tool,
      'adds.yaml': JSON.stringify(scenario),
      'adds.scenario.ts': `import { defineScenario } from 'assay/scenario';\nexport default defineScenario(${JSON.stringify(inCode)});\n`,
    });
    const { exitCode, stdout } = await new CleanRoot(home).run(['run', 'adds.yaml', 'adds.scenario.ts']);
    expect(stdout).toContain('2 trials: 2 passed');
    expect(exitCode).toBe(0);
  });

  it('ends with the exit codes of the program', async () => {
    const root = new CleanRoot(await temporaryFolder({ 'bad.yaml': 'name: [' }));
    expect(await root.run(['run', 'bad.yaml'])).toMatchObject({ exitCode: 2 });
    expect(await root.run(['no-such-command'])).toMatchObject({ exitCode: 2 });
  });
});

describe('the files of the executable', () => {
  it('are unpacked once, and again when one is lost', async () => {
    const home = await temporaryFolder();
    const root = new CleanRoot(home);
    await root.run(['evaluators']);
    const folder = unpackedIn(home);
    const { ino } = statSync(folder);
    await root.run(['evaluators']);
    expect(statSync(unpackedIn(home)).ino).toBe(ino);
    rmSync(join(folder, 'dist', 'cli', 'main.cjs'));
    expect(await root.run(['evaluators'])).toMatchObject({ exitCode: 0 });
    expect(existsSync(join(folder, 'dist', 'cli', 'main.cjs'))).toBe(true);
  });

  it('are whole for several first starts at once', async () => {
    const home = await temporaryFolder();
    const root = new CleanRoot(home);
    const results = await Promise.all(Array.from({ length: 4 }, () => root.run(['evaluators', '--json'])));
    for (const result of results) expect(result).toMatchObject({ exitCode: 0, stdout: results[0]?.stdout });
    expect(unpackedIn(home)).not.toContain(',');
  });

  it('go where ASSAY_UNPACK_DIR says, and the reason is given where they cannot', async () => {
    const home = await temporaryFolder({ file: '' });
    const root = new CleanRoot(home);
    const named = (folder: string) => root.run(['evaluators'], { env: { ASSAY_UNPACK_DIR: folder } });
    expect(await named('/home/user/mine')).toMatchObject({ exitCode: 0 });
    expect(readdirSync(home).sort()).toEqual(['file', 'mine']);
    const { exitCode, stderr } = await named('/home/user/file');
    expect(stderr).toMatch(
      /^error: The files of Assay could not be unpacked \(\/home\/user\/file: EEXIST.*\)\.\n {2}Set /,
    );
    expect(exitCode).toBe(3);
  });

  it('hold the licences of everything inside', async () => {
    const home = await temporaryFolder();
    await new CleanRoot(home).run(['evaluators']);
    const text = readFileSync(join(unpackedIn(home), 'dist', 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    for (const name of [`node-linux-${process.arch}`, '@photostructure/sqlite', 'jiti', 'zod'])
      expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, 'm'));
  });
});

describe('the release', () => {
  it('has the sums of all of its files', () => {
    const names = readdirSync(releaseFolder).filter((name) => name !== 'SHA256SUMS');
    const checked = execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {
      cwd: releaseFolder,
      encoding: 'utf8',
    });
    expect(checked.trim().split('\n').sort()).toEqual(names.map((name) => `${name}: OK`).sort());
    expect(names).toEqual(expect.arrayContaining(['assay-linux-x64', 'assay-linux-arm64', 'install.sh']));
  });

  it('is installed from a file server by its script', async () => {
    const home = await temporaryFolder();
    const url = await serve((request, response) => {
      const file = join(releaseFolder, (request.url ?? '').slice(1));
      if (existsSync(file)) response.end(readFileSync(file));
      else response.writeHead(404).end();
    });
    const env = { PATH: process.env.PATH, HOME: home, ASSAY_RELEASE_URL: url };
    const result = await ended(spawn('/bin/sh', [join(releaseFolder, 'install.sh')], { env }));
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(result.stdout).toContain(`Installed Assay ${packageVersion}: ${home}/.local/bin/assay\n`);
    expect(readFileSync(join(home, '.local/bin/assay')).equals(readFileSync(executable))).toBe(true);
  });
});

const [emulator = '', ...options] = (process.env.ASSAY_EMULATOR ?? '').split(' ');
const otherArch = process.arch === 'x64' ? 'arm64' : 'x64';

describe.skipIf(emulator === '')(`the executable for ${otherArch}`, () => {
  it('starts, unpacks its files, and opens a store with its own addon', { timeout: 900_000 }, async () => {
    const home = await temporaryFolder();
    const emulated = (...args: readonly string[]) => {
      const program = join(releaseFolder, `assay-linux-${otherArch}`);
      return ended(spawn(emulator, [...options, program, ...args], { cwd: home, env: { HOME: home } }));
    };
    expect(await emulated('--version')).toMatchObject({ exitCode: 0, stdout: `${packageVersion}\n` });
    writeFileSync(join(home, 'assay.config.yaml'), 'store: sqlite:kept.db\n');
    expect(await emulated('runs', '--json')).toMatchObject({ exitCode: 0 });
    const prebuilds = join(unpackedIn(home), 'node_modules/@photostructure/sqlite/prebuilds');
    expect(readdirSync(prebuilds)).toEqual([`linux-${otherArch}`]);
  });
});
