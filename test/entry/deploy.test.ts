import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { assay } from '../../src/testing/support/assay.ts';
import { hasPostgres, usePostgres } from '../../src/testing/support/postgres.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

function deployFile(name: string): Promise<string> {
  return readFile(join(root, 'deploy', name), 'utf8');
}

interface Container {
  readonly name: string;
  readonly args: string[];
  readonly env: { readonly name: string; readonly valueFrom?: { readonly secretKeyRef: { readonly name: string } } }[];
  readonly securityContext: unknown;
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: Container[];
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: unknown;
      };
    };
  };
}

async function manifests(): Promise<Manifest[]> {
  const documents = parseAllDocuments(await deployFile('kubernetes.yaml'));
  return documents.map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS();
  });
}

async function containers(): Promise<Container[]> {
  return (await manifests()).flatMap(({ spec }) => spec.template?.spec.containers ?? []);
}

async function composeServices(): Promise<Record<string, { readonly command: string[] }>> {
  return parse(await deployFile('compose.yaml'), { merge: true }).services;
}

function unitSettings(text: string): Map<string, string> {
  const lines = text.split('\n').filter((line) => line !== '' && !/^[#[]/.test(line));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

interface StartedCommand {
  readonly name: string;
  readonly flags: readonly string[];
}

/** Every command of the program that the files start: its name has one word or two, and then come its options. */
async function commands(): Promise<StartedCommand[]> {
  const dockerfile = await deployFile('Dockerfile');
  const services = await composeServices();
  const units = await Promise.all(
    ['assay-worker@.service', 'assay-server.service'].map((name) => deployFile(`systemd/${name}`)),
  );
  const all: string[][] = [
    JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]'),
    ...['server', 'worker'].map((name) => services[name]?.command ?? []),
    ...(await containers()).map(({ args }) => args),
    ...units.map((unit) => (unitSettings(unit).get('ExecStart') ?? '').split(' ').slice(2)),
  ];
  return all.map((words) => {
    const firstFlag = words.findIndex((word) => word.startsWith('--'));
    return { name: words.slice(0, firstFlag).join(' '), flags: words.slice(firstFlag) };
  });
}

describe('what is started', () => {
  it('exists in the program, with every flag', async () => {
    const all = await commands();
    const worker = 'queue worker';
    expect(all.map(({ name }) => name)).toEqual([worker, 'serve', worker, worker, 'serve', worker, 'serve']);
    const cwd = await temporaryFolder();
    const helpOf = async (name: string) =>
      [name, (await assay([...name.split(' '), '--help'], { cwd })).stdout] as const;
    const help = new Map(await Promise.all([worker, 'serve'].map(helpOf)));
    for (const { name, flags } of all) {
      for (const flag of flags.filter((word) => word.startsWith('--'))) expect(help.get(name)).toContain(`${flag} <`);
    }
  });

  it('is given more time to end than its trials', async () => {
    const drainSecs = 60;
    for (const { flags } of await commands()) {
      if (flags.includes('--drain-secs')) expect(flags).toContain(String(drainSecs));
    }
    const unit = unitSettings(await deployFile('systemd/assay-worker@.service'));
    expect(Number(unit.get('TimeoutStopSec'))).toBeGreaterThan(drainSecs);
    const [worker] = await manifests();
    expect(worker?.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(drainSecs);
    expect(await composeServices()).toMatchObject({ worker: { stop_grace_period: '90s' } });
  });
});

describe('keys', () => {
  it('are in no file', async () => {
    for (const { env } of await containers()) {
      const store = env.find(({ name }) => name === 'ASSAY_STORE');
      expect(store?.valueFrom?.secretKeyRef.name).toBe('assay-store');
    }
    const compose = await deployFile('compose.yaml');
    expect(compose.match(/:\/\/[^@\n]*@/g)).toEqual([expect.stringContaining('${POSTGRES_PASSWORD:?')]);
  });

  it('of providers are given to workers only', async () => {
    const services = await composeServices();
    expect(services.worker).toHaveProperty('env_file');
    expect(services.server).not.toHaveProperty('env_file');
    const byName = new Map((await containers()).map((container) => [container.name, container]));
    expect(byName.get('worker')).toHaveProperty('envFrom');
    expect(byName.get('server')).not.toHaveProperty('envFrom');
  });
});

describe('the container', () => {
  it('holds nothing but the packed program and does not run as root', async () => {
    const final = (await deployFile('Dockerfile')).split(/^FROM /m).at(-1) ?? '';
    expect(final.match(/^COPY .*$/gm)).toEqual(['COPY --from=install /opt/assay /opt/assay']);
    expect(final).toMatch(/^USER 10001$/m);
    for (const { spec } of (await manifests()).filter(({ kind }) => kind === 'Deployment')) {
      expect(spec.template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10_001 });
    }
    for (const { securityContext } of await containers()) {
      expect(securityContext).toEqual({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } });
    }
  });

  it('runs what `npm pack` packs, without the checkout', async () => {
    const folder = await temporaryFolder();
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root });
    await run('tar', ['--extract', '--gzip', '--file', 'assay-0.1.0.tgz'], { cwd: folder });
    const installed = join(folder, 'package');
    const { dependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    const modules = await temporaryFolder();
    for (const name of Object.keys(dependencies)) {
      await mkdir(dirname(join(modules, name)), { recursive: true });
      await symlink(join(root, 'node_modules', name), join(modules, name));
    }
    await symlink(modules, join(installed, 'node_modules'));
    const project = await temporaryFolder({
      'a.yaml': 'name: A\ncall: { command: cat }\ncases: [{ input: 1 }]\npassCriteria: [result === 1]\n',
    });
    const program = join(installed, 'bin/assay.js');
    const { stdout } = await run(process.execPath, [program, 'run', '--json'], { cwd: project });
    expect(JSON.parse(stdout)).toMatchObject({ totals: { pass: 1 } });
    const worker = run(process.execPath, [program, 'worker', '--store', 'postgres://nobody@127.0.0.1:9/none'], {
      cwd: project,
    });
    await expect(worker).rejects.toMatchObject({ code: 3, stderr: expect.stringContaining('127.0.0.1') });
  });
});

describe.skipIf(!hasPostgres)('scaling', () => {
  const postgres = usePostgres();

  it('counts the trials that wait or run', async () => {
    const url = await postgres.newDatabase();
    const cwd = await temporaryFolder({
      'a.yaml': 'name: A\ncall: { command: cat }\ncases: [{ input: 1 }, { input: 2 }]\npassCriteria: [result === 1]\n',
    });
    const env = { ASSAY_STORE: url };
    await assay(['run', '--distributed', '--detach', '--quiet'], { cwd, env });
    const text = await deployFile('kubernetes.yaml');
    const query = /query: (.+)/.exec(text)?.[1] ?? '';
    expect(await postgres.query(url, query)).toEqual([{ count: '2' }]);
    await assay(['worker', '--once', '--agents', '', '--folder', join(cwd, '.assay/bundles')], { cwd, env });
    expect(await postgres.query(url, query)).toEqual([{ count: '0' }]);
  });
});
