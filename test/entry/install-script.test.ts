import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type CommandResult, ended } from '../../src/testing/support/assay.ts';
import { reply, serve } from '../../src/testing/support/http-server.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

const script = fileURLToPath(new URL('../../deploy/install.sh', import.meta.url));
const executable = '#!/bin/sh\necho 1.2.3\n';
const usual = [
  'awk',
  'cat',
  'chmod',
  'curl',
  'grep',
  'gzip',
  'mkdir',
  'mktemp',
  'mv',
  'rm',
  'sh',
  'sha256sum',
  'uname',
];

type Files = Record<string, string | Buffer>;

const sumOf = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

/** The files of a release as `npm run release` writes them, with a small script as the executable. */
function releaseOf(arch: string, text = executable): Files {
  const name = `assay-linux-${arch}`;
  const files = { [name]: text, [`${name}.gz`]: gzipSync(text) };
  const sums = Object.entries(files).map(([file, content]) => `${sumOf(content)}  ${file}\n`);
  return { ...files, SHA256SUMS: sums.join('') };
}

function programOnPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

interface Machine {
  readonly system?: string;
  readonly machine?: string;
  readonly programs?: readonly string[];
  readonly scripts?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Installation extends CommandResult {
  readonly home: string;
  readonly requests: readonly string[];
}

/** Runs the script against a server with the given files, on a machine that has the given programs and no others. */
async function install(files: Files, setting: Machine = {}): Promise<Installation> {
  const { system = 'Linux', machine = 'x86_64', programs = usual, scripts = {}, env = {} } = setting;
  const home = await temporaryFolder();
  const bin = await temporaryFolder();
  const ours = {
    uname: `#!/bin/sh\n[ "$1" = -s ] && echo ${system} || echo ${machine}\n`,
    ldd: '#!/bin/sh\necho "ldd (GNU libc) 2.36"\n',
    ...scripts,
  };
  await writeFiles(bin, ours);
  for (const name of Object.keys(ours)) await chmod(join(bin, name), 0o755);
  for (const name of programs.filter((one) => !(one in ours)))
    await symlink(programOnPath(name) ?? `/missing/${name}`, join(bin, name));
  const requests: string[] = [];
  const url = await serve((request, response) => {
    const name = (request.url ?? '/').slice(1);
    requests.push(name);
    const body = files[name];
    if (body === undefined) reply(404, 'not here')(request, response);
    else response.end(body);
  });
  const child = spawn('/bin/sh', [script], {
    cwd: home,
    env: { PATH: bin, HOME: home, ASSAY_RELEASE_URL: url, ...env },
  });
  return { ...(await ended(child)), home, requests };
}

/** The script failed with a message, and nothing of it is left. */
function expectRefusal({ exitCode, stderr, home }: Installation, message: string | RegExp): void {
  expect(stderr).toMatch(message);
  expect(exitCode).toBe(1);
  const folder = join(home, '.local/bin');
  expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
}

describe.skipIf(programOnPath('curl') === undefined)('install.sh', () => {
  it.each([
    ['x86_64', 'x64'],
    ['aarch64', 'arm64'],
  ])('installs the executable for %s', async (machine, arch) => {
    const { exitCode, stdout, stderr, home, requests } = await install(releaseOf(arch), { machine });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const folder = join(home, '.local/bin');
    expect(stdout).toBe(`Installed Assay 1.2.3: ${folder}/assay\nAdd ${folder} to PATH to start it as assay.\n`);
    expect(readFileSync(join(folder, 'assay'), 'utf8')).toBe(executable);
    expect(readdirSync(folder)).toEqual(['assay']);
    expect(requests).toEqual(['SHA256SUMS', `assay-linux-${arch}.gz`]);
  });

  it('replaces an installed executable in the folder that is named', async () => {
    const folder = await temporaryFolder({ assay: 'an older version' });
    const { exitCode } = await install(releaseOf('x64'), { env: { ASSAY_INSTALL_DIR: folder } });
    expect(exitCode).toBe(0);
    expect(readFileSync(join(folder, 'assay'), 'utf8')).toBe(executable);
  });

  it.skipIf(programOnPath('wget') === undefined)('downloads with wget where curl is missing', async () => {
    const programs = [...usual.filter((name) => name !== 'curl'), 'wget'];
    expect((await install(releaseOf('x64'), { programs })).exitCode).toBe(0);
  });

  it('takes a version from the releases of the project', async () => {
    const curl = '#!/bin/sh\nwhile [ $# -gt 1 ]; do shift; done\necho "asked for $1" >&2\nexit 22\n';
    const env = { ASSAY_RELEASE_URL: '', ASSAY_VERSION: '0.1.0' };
    const refused = await install({}, { scripts: { curl }, env });
    expectRefusal(refused, /asked for \S+\/releases\/download\/v0\.1\.0\/SHA256SUMS\n/);
  });
});

describe.skipIf(programOnPath('curl') === undefined)('install.sh installs nothing', () => {
  it('when the download is not what the sum says', async () => {
    const files = { ...releaseOf('x64'), 'assay-linux-x64.gz': gzipSync('#!/bin/sh\necho evil\n') };
    expectRefusal(await install(files), /assay-linux-x64\.gz has the SHA-256 sum [0-9a-f]{64}, expected [0-9a-f]{64}/);
  });

  it('when the executable inside is not what the sum says', async () => {
    const files = releaseOf('x64');
    files.SHA256SUMS = String(files.SHA256SUMS).replace(sumOf(executable), sumOf('another'));
    expectRefusal(await install(files), `assay-linux-x64 has the SHA-256 sum ${sumOf(executable)}`);
  });

  it('when the sums do not name the file', async () => {
    expectRefusal(
      await install({ ...releaseOf('x64'), SHA256SUMS: 'no sums\n' }),
      'SHA256SUMS has no sum of assay-linux-x64.gz.',
    );
  });

  it('when a file is missing', async () => {
    expectRefusal(await install({}), /SHA256SUMS could not be downloaded/);
  });

  it('when the executable does not start', async () => {
    expectRefusal(
      await install(releaseOf('x64', '#!/bin/sh\nexit 1\n')),
      'The executable does not start on this machine.',
    );
  });

  it('on other systems', async () => {
    expectRefusal(await install({}, { system: 'Darwin' }), 'There is no executable for Darwin.');
    expectRefusal(await install({}, { machine: 'riscv64' }), 'There is no executable for riscv64.');
    const ldd = '#!/bin/sh\necho "musl libc (x86_64)" >&2\nexit 1\n';
    expectRefusal(await install({}, { scripts: { ldd } }), 'The executable needs glibc, and this system has musl.');
  });

  it('without the programs that it needs', async () => {
    const without = (name: string) => ({ programs: usual.filter((one) => one !== name) });
    expectRefusal(await install(releaseOf('x64'), without('curl')), 'curl and wget are both missing.');
    expectRefusal(
      await install(releaseOf('x64'), without('sha256sum')),
      'sha256sum, shasum and openssl are all missing.',
    );
    expectRefusal(await install(releaseOf('x64'), without('gzip')), 'gzip is missing.');
  });

  it('into a folder that cannot be made', async () => {
    const home = await temporaryFolder({ file: '' });
    const env = { ASSAY_INSTALL_DIR: join(home, 'file', 'bin') };
    expectRefusal(await install(releaseOf('x64'), { env }), /The folder \S+\/file\/bin could not be created\./);
  });
});
