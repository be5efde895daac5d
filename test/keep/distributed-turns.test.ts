import { describe, expect, it } from 'vitest';
import type { TrialGroup } from '../../src/keep/distribution/distribution.ts';
import {
  extendUses,
  giveBackUses,
  leaseJobs,
  removeExpiredUses,
  takeUses,
} from '../../src/keep/distribution/leases.ts';
import { createGroup, enqueueTrials } from '../../src/keep/distribution/trial-groups.ts';
import { openWorkDatabase } from '../../src/keep/distribution/work-database.ts';
import { hasPostgres, usePostgres } from '../../src/testing/support/postgres.ts';

describe.skipIf(!hasPostgres)('trials on workers', () => {
  const postgres = usePostgres();

  it('start in the order of the plan, in which the arms take turns by chance, not in that of their places', async () => {
    await using work = await openWorkDatabase(await postgres.newDatabase());
    const group: TrialGroup = { groupId: 'g-1', runId: 'r-1', needs: { tags: [] } as never, limits: {} };
    await createGroup(work, group, 2);
    const planned = [1, 0, 2, 3, 5, 4].map((ordinal) => ({
      ...{ ordinal, trialId: `t-${ordinal}`, scenario: 's', file: 's.yaml', caseId: 'c', variant: {}, repeat: 1 },
    }));
    await enqueueTrials(work, group, planned);
    const leased = await leaseJobs(work.db, group, { limit: 10, leaseMs: 60_000, workerId: 'w' });
    expect(leased.map(({ trial }) => trial.ordinal)).toEqual([1, 0, 2, 3, 5, 4]);
  });

  it('use a limit that several share, until the use is given back or its lease has ended', async () => {
    await using work = await openWorkDatabase(await postgres.newDatabase());
    const { db } = work;
    const limits = { 'model m': 2, 'agent a': 3 };
    const hour = 3_600_000;
    expect(await takeUses(db, limits, ['one', 'two', 'three'], hour)).toEqual(['one', 'two']);
    expect(await takeUses(db, limits, ['four'], hour)).toEqual([]);
    await giveBackUses(db, ['one']);
    // Its holder is gone: the lease ended before it was taken.
    expect(await takeUses(db, limits, ['five'], -1)).toEqual(['five']);
    expect(await takeUses(db, limits, ['six', 'seven'], hour)).toEqual(['six']);
    const held = async () =>
      (await db.selectFrom('limit_leases').select('holder').distinct().orderBy('holder').execute()).map(
        ({ holder }) => holder,
      );
    expect(await held()).toEqual(['five', 'six', 'two']);
    await extendUses(db, ['two'], -1);
    await removeExpiredUses(db);
    expect(await held()).toEqual(['six']);
    expect(await takeUses(db, limits, ['eight', 'nine'], hour)).toEqual(['eight']);
  });
});
