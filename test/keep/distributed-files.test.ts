import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { packBundle } from '../../src/keep/bundles/pack-bundle.ts';
import { StoredFiles } from '../../src/keep/bundles/stored-files.ts';
import { openPostgres } from '../../src/keep/store/sql/postgres.ts';
import { assay, ended, startAssay } from '../../src/testing/support/assay.ts';
import { bodyOf, serve } from '../../src/testing/support/http-server.ts';
import { hasPostgres, usePostgres } from '../../src/testing/support/postgres.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const taskmgr = fileURLToPath(new URL('../../examples/taskmgr', import.meta.url));

async function projectCopy(): Promise<string> {
  const folder = await temporaryFolder();
  await cp(taskmgr, folder, { recursive: true, filter: (path) => basename(path) !== '.assay' });
  return folder;
}

/** A worker that ends when nothing is left to do, on what could be another machine. */
async function workOnce(url: string, env: Readonly<Record<string, string>> = {}) {
  const machine = await temporaryFolder();
  const args = ['worker', '--once', '--folder', join(machine, 'bundles'), '--agents', ''];
  const done = await ended(startAssay(args, { cwd: machine, env: { ASSAY_STORE: url, ...env } }));
  return { ...done, machine };
}

describe.skipIf(!hasPostgres)('files in a shared store', () => {
  const postgres = usePostgres();

  it('what an agent leaves behind on a worker can be fetched on any machine', async () => {
    const url = await postgres.newDatabase();
    const env = { ASSAY_STORE: url };
    const started = await assay(['run', '--distributed', '--detach', '--quiet'], { cwd: await projectCopy(), env });
    expect(started.stderr).toBe('');
    const { stderr, exitCode, machine } = await workOnce(url);
    expect({ stderr: stderr.includes('Ended after 2 trials'), exitCode }).toEqual({ stderr: true, exitCode: 0 });

    const elsewhere = await projectCopy();
    const report = JSON.parse((await assay(['show', 'latest', '--json'], { cwd: elsewhere, env })).stdout);
    const [{ trialId }] = report.trials;
    const shown = await assay(['show', trialId, '--artifacts'], { cwd: elsewhere, env });
    const folder = shown.stdout.trim();
    expect(folder.startsWith(join(elsewhere, '.assay/artifacts'))).toBe(true);
    expect((await readdir(folder)).sort()).toEqual([
      'evaluation.md',
      'events.jsonl',
      'fixture',
      'metrics.json',
      'report.md',
      'run.json',
      'transcript.human.txt',
      'transcript.raw.txt',
    ]);
    expect(await readFile(join(folder, 'fixture/.taskmgr/tasks.json'), 'utf8')).toContain('release');
    const left = await readdir(machine, { recursive: true });
    expect(left.filter((path) => path.endsWith('transcript.raw.txt'))).toEqual([]);
  });

  it('a known secret in a file stops the run before anything is sent', async () => {
    const url = await postgres.newDatabase();
    const cwd = await temporaryFolder({
      'a.yaml': 'name: A\ncall: { command: cat }\ncases: [{ input: 1 }]\npassCriteria: [result === 1]\n',
      'notes.txt': 'our key is sk-live-0123456789',
      '.env': 'SHOP_API_KEY=sk-live-0123456789',
    });
    const env = { ASSAY_STORE: url, SHOP_API_KEY: 'sk-live-0123456789' };
    const { exitCode, stderr } = await assay(['run', '--distributed', '--detach'], { cwd, env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('"notes.txt" contains the value of a secret');
    expect(stderr).not.toContain('sk-live');
    expect(await postgres.query(url, 'select chunk_id from chunks')).toEqual([]);
    await rm(join(cwd, 'notes.txt'));
    const sent = await assay(['run', '--distributed', '--detach'], { cwd, env });
    expect(sent.exitCode).toBe(0);
    expect(sent.stderr).toContain('Not sent to workers, because credentials stay on their machine: .env.');
    const rows = await postgres.query(url, 'select count(*)::int as count from file_set_chunks');
    expect(rows).toEqual([{ count: 1 }]);
  });

  it('a worker tells a collector what it did', async () => {
    const url = await postgres.newDatabase();
    const cwd = await temporaryFolder({
      'a.yaml': 'name: A\ncall: { command: cat }\ncases: [{ input: 1 }, { input: 2 }]\npassCriteria: [result === 1]\n',
    });
    await assay(['run', '--distributed', '--detach', '--quiet'], { cwd, env: { ASSAY_STORE: url } });
    const sent: string[] = [];
    const collector = await serve(async (request, response) => {
      sent.push(await bodyOf(request));
      response.end('{}');
    });
    await workOnce(url, { OTEL_EXPORTER_OTLP_ENDPOINT: collector });
    const [{ resource, scopeMetrics }] = JSON.parse(sent.at(-1) ?? '').resourceMetrics;
    expect(JSON.stringify(resource)).toContain('assay-worker');
    const finished = scopeMetrics[0].metrics.find(({ name }: { name: string }) => name === 'assay.trial.finished');
    expect(finished.sum.dataPoints.map(({ asInt }: { asInt: string }) => asInt)).toEqual(['1', '1']);
  });

  it('two machines that send the same project at once do not get in each other’s way', async () => {
    const url = await postgres.newDatabase();
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${index}.txt`, `${index}`]));
    const folder = await temporaryFolder(files);
    const settings = { include: [], exclude: [], maxBytes: 1_000_000, secrets: [], env: process.env };
    const machines = await Promise.all([openPostgres(url), openPostgres(url)]);
    const packed = await Promise.all(machines.map(({ db }) => packBundle(folder, settings, new StoredFiles(db))));
    expect(new Set(packed.map(({ bundleId }) => bundleId)).size).toBe(1);
    for (const { store } of machines) await store[Symbol.asyncDispose]();
    expect(await postgres.query(url, 'select count(*)::int as count from chunks')).toEqual([{ count: 300 }]);
  });
});
