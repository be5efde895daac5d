import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../domain/trace.ts';
import { storeArtifacts } from '../../../keep/bundles/artifacts.ts';
import { assignFiles, StoredFiles } from '../../../keep/bundles/stored-files.ts';
import { openSqlStore } from '../../../keep/store/open-store.ts';
import { type ServedProject, serveFiles } from '../../../testing/fakes/server/served-project.ts';
import { finishedTrial, runHeader } from '../../../testing/samples.ts';
import { repetitions } from '../../../testing/support/repetitions.ts';
import type { TracePage, TraceSearch, TrialDetail, WholeEvent } from '../api/trials.ts';

const message = (text: string): TraceEvent => ({ type: 'message', at: 1, seenBy: 'agent', role: 'assistant', text });
const huge = `${'a'.repeat(2_500_000)}needle${'b'.repeat(2_500_000)}`;
const [first, second, third] = [0, 1, 5].map((ordinal) => finishedTrial('r-1', ordinal));

describe('a trial', () => {
  let served: ServedProject;
  let trialId = '';
  beforeAll(async () => {
    served = await serveFiles();
    await served.context.store.createRun(runHeader('r-1', { status: 'finished', finishedAt: 1_700_000_060_000 }));
    if (!first || !second || !third) throw new Error('There are three trials.');
    trialId = second.record.trialId;
    const trace = Array.from({ length: 50_000 }, (_, index) => message(`message ${index}`));
    trace[10] = message(huge);
    trace[11] = { type: 'tool-call', at: 2, seenBy: 'agent', callId: 'c', tool: 't', kind: 'edit', input: manyItems() };
    const record = { ...second.record, artifacts: 'r-1/t-1' };
    await served.context.store.saveTrials([first, { record, trace }, third]);
    const folder = join(served.folder, '.assay', 'artifacts', 'r-1', 't-1');
    await mkdir(join(folder, 'deep'), { recursive: true });
    await writeFile(join(folder, 'deep', 'notes.txt'), 'what was noted');
    await writeFile(join(folder, 'page.html'), '<script>alert(1)</script>');
    await writeFile(join(served.folder, 'secret.txt'), 'not public');
    await symlink(join(served.folder, 'secret.txt'), join(folder, 'link.txt'));
    await symlink(served.folder, join(folder, 'out'));
  });
  afterAll(() => served[Symbol.asyncDispose]());

  it('is shown with its neighbours and what it left behind', async () => {
    const { record, ...details } = await served.get<TrialDetail>(`/api/trials/${trialId}`);
    expect(record.trialId).toBe(trialId);
    expect(details).toMatchObject({
      run: { runId: 'r-1', planned: 10 },
      previousTrialId: first?.record.trialId,
      nextTrialId: third?.record.trialId,
      eventCount: 50_000,
      artifacts: [
        { path: 'deep/notes.txt', bytes: 14 },
        { path: 'page.html', bytes: 25 },
      ],
    });
    const last = await served.get<TrialDetail>(`/api/trials/${third?.record.trialId}`);
    expect([last.previousTrialId, last.nextTrialId]).toEqual([trialId, null]);
  });

  it('has a trace of any length, in pages that stay small', async () => {
    const page = await served.get<TracePage>(`/api/trials/${trialId}/trace?from=9&limit=4`);
    expect([page.total, page.from, page.events.map(({ index }) => index)]).toEqual([50_000, 9, [9, 10, 11, 12]]);
    expect(page.events.map(({ isCut }) => isCut)).toEqual([false, true, true, false]);
    expect(JSON.stringify(page.events[1]).length).toBeLessThan(21_000);
    expect(JSON.stringify(page.events[1])).toContain('4,980,006 characters are not shown');
    expect((await served.get<TracePage>(`/api/trials/${trialId}/trace?from=49990&limit=100`)).events).toHaveLength(10);
    expect((await served.get<TracePage>(`/api/trials/${trialId}/trace?from=60000`)).events).toEqual([]);
  });

  it('returns a whole event on request', async () => {
    const { event } = await served.get<WholeEvent>(`/api/trials/${trialId}/trace/10`);
    expect(event).toEqual(message(huge));
    expect((await served.request(`/api/trials/${trialId}/trace/50000`)).status).toBe(404);
    expect((await served.request(`/api/trials/${trialId}/trace/x`)).status).toBe(400);
  });

  it('is searched by text and by type', async () => {
    const search = (query: string) => served.get<TraceSearch>(`/api/trials/${trialId}/trace/search?${query}`);
    expect(await search('text=NEEDLE')).toEqual({ indices: [10], isComplete: true });
    expect(await search('type=tool-call')).toEqual({ indices: [11], isComplete: true });
    expect(await search('text=message%2049999&type=message')).toEqual({ indices: [49_999], isComplete: true });
    expect((await search('text=message')).isComplete).toBe(false);
    expect((await search('text=callId')).indices).toEqual([]);
    expect(await search('text=kind%3Aedit')).toEqual({ indices: [11], isComplete: true });
    expect((await search('text=kind%3Aedit%20nowhere')).indices).toEqual([]);
    expect((await search('text=kind%3Ashell')).indices).toEqual([]);
  });

  it('gives the files that it left behind, to keep and not to show', async () => {
    const text = await served.request(`/api/trials/${trialId}/artifacts/deep/notes.txt`);
    expect([text.headers.get('content-type'), await text.text()]).toEqual([
      'text/plain; charset=utf-8',
      'what was noted',
    ]);
    const encoded = await served.request(`/api/trials/${trialId}/artifacts/deep%2Fnotes.txt`);
    expect(await encoded.text()).toBe('what was noted');
    const page = await served.request(`/api/trials/${trialId}/artifacts/page.html`);
    expect(page.headers.get('content-type')).toBe('application/octet-stream');
    expect(page.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''page.html");
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    await page.text();
  });

  it.each([
    'link.txt',
    'out/secret.txt',
    '..%2F..%2F..%2F..%2Fsecret.txt',
    'deep/..%2f..%2f..%2f..%2f..%2fsecret.txt',
    '%2Fetc%2Fpasswd',
    'deep',
    '.',
    'x%00y',
  ])('gives nothing from elsewhere for %s', async (path) => {
    const response = await served.request(`/api/trials/${trialId}/artifacts/${path}`);
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain('not public');
  });

  it('returns no file from elsewhere', async () => {
    const part = fc.constantFrom('..', '.', 'out', 'deep', 'link.txt', 'secret.txt', '%2e%2e', '%5c', '~', 'etc');
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 8 }), async (parts) => {
        const response = await served.request(`/api/trials/${trialId}/artifacts/${parts.join('%2F')}`);
        expect(await response.text()).not.toContain('not public');
        expect(response.status).toBeLessThan(500);
      }),
      { seed: 8, numRuns: repetitions({ usual: 40, inFull: 300 }) },
    );
  });

  it('gives the files of a trial that another machine has run, out of the store', async () => {
    const { record, trace } = finishedTrial('r-1', 7);
    await served.context.store.saveTrials([{ record: { ...record, artifacts: 'r-1/elsewhere' }, trace }]);
    const elsewhere = join(served.folder, 'elsewhere');
    await mkdir(join(elsewhere, 'deep'), { recursive: true });
    await writeFile(join(elsewhere, 'deep', 'seen.txt'), 'seen elsewhere');
    const { store, db } = await openSqlStore(`sqlite:${served.folder}/test.db`, served.folder);
    await using _open = store;
    const { setId } = await storeArtifacts(elsewhere, { secrets: [] }, new StoredFiles(db));
    await assignFiles(db, setId, { runId: 'r-1', trialId: record.trialId });
    await rm(elsewhere, { recursive: true });

    const { artifacts } = await served.get<TrialDetail>(`/api/trials/${record.trialId}`);
    expect(artifacts).toEqual([{ path: 'deep/seen.txt', bytes: 14 }]);
    const file = await served.request(`/api/trials/${record.trialId}/artifacts/deep/seen.txt`);
    expect(await file.text()).toBe('seen elsewhere');
    expect((await served.request(`/api/trials/${record.trialId}/artifacts/deep/other.txt`)).status).toBe(404);
  });
});

function manyItems(): unknown {
  return { items: Array.from({ length: 3_000 }, (_, index) => ({ index })) };
}
