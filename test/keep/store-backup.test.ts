import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { findPostgres } from '../../scripts/find-postgres.mjs';
import { checkStore } from '../../src/compose/store/check-store.ts';
import { openSqlStore } from '../../src/keep/store/open-store.ts';
import { finishedTrial, runHeader } from '../../src/testing/samples.ts';
import { hasPostgres, usePostgres } from '../../src/testing/support/postgres.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const run = promisify(execFile);

describe.skipIf(!hasPostgres)('a backup of a Postgres store', () => {
  const postgres = usePostgres();
  const tool = (name: string, args: readonly string[]) => run(join(findPostgres() ?? '', name), [...args]);

  it('taken with pg_dump in the middle of writing is a sound store when it is restored', async () => {
    const [url, restored] = [await postgres.newDatabase(), await postgres.newDatabase()];
    const file = join(await temporaryFolder(), 'backup.dump');
    const database = await openSqlStore(url, '/');
    await using store = database.store;
    await store.createRun(runHeader('r-1', { planned: 400 }));
    await store.saveTrials(Array.from({ length: 200 }, (_, index) => finishedTrial('r-1', index)));
    const dumped = tool('pg_dump', ['--format', 'custom', '--file', file, url]);
    for (let ordinal = 200; ordinal < 400; ordinal += 10)
      await store.saveTrials(Array.from({ length: 10 }, (_, index) => finishedTrial('r-1', ordinal + index)));
    await dumped;
    await tool('pg_restore', ['--no-owner', '--dbname', restored, file]);
    const copy = await openSqlStore(restored, '/');
    await using restoredStore = copy.store;
    const checked = await checkStore(copy, () => undefined);
    expect(checked).toMatchObject({ runs: 1, problems: [] });
    expect(checked.trials).toBeGreaterThanOrEqual(200);
    // The history goes on: what the backup lacks is stored, what it has is left alone.
    await restoredStore.saveTrials(Array.from({ length: 400 }, (_, index) => finishedTrial('r-1', index)));
    expect(await restoredStore.countTrials('r-1')).toEqual(await store.countTrials('r-1'));
    expect(await checkStore(copy, () => undefined)).toEqual({ runs: 1, trials: 400, problems: [] });
  });
});
