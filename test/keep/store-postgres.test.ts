import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../src/keep/store/open-store.ts';
import { openPostgres } from '../../src/keep/store/sql/postgres.ts';
import { finishedTrial, runHeader } from '../../src/testing/samples.ts';
import { describeStoreContract } from '../../src/testing/store-contract/store-contract.ts';
import { hasPostgres, usePostgres } from '../../src/testing/support/postgres.ts';
import { complaintsOfWriters } from '../../src/testing/support/store-writers.ts';

describe.skipIf(!hasPostgres)('on Postgres', () => {
  const postgres = usePostgres();
  const open = async (url: string, warn?: (message: string) => void) => {
    const opened = await openPostgres(url, { reconnectMs: 20_000, ...(warn && { warn }) });
    onTestFinished(() => opened.store[Symbol.asyncDispose]());
    return opened;
  };

  describeStoreContract('postgres', async () => openStore(await postgres.newSchema(), '/'));

  it('takes writes of four processes at once, losing none and counting none twice', async () => {
    const url = await postgres.newDatabase();
    // All of them find an empty database, and write one run that they share beside one of their own.
    const count = 1_000;
    expect(await complaintsOfWriters(url, count, count)).toEqual(['', '', '', '']);
    const { store } = await open(url);
    for (const runId of ['r-0', 'r-1', 'r-2', 'r-3', 'r-shared'])
      expect((await store.countTrials(runId)).pass, runId).toBe(count);
    const [row] = await postgres.query(url, "select count(*)::int as n from trials where run_id = 'r-shared'");
    expect(row).toEqual({ n: count });
  });

  it('stores several trials, one of which is stored already, and counts each of them once', async () => {
    const url = await postgres.newDatabase();
    const { store, saveTrialsAtOnce } = await open(url);
    await store.createRun(runHeader('r-1'));
    const trials = [0, 1, 2].map((ordinal) => finishedTrial('r-1', ordinal));
    await store.saveTrials(trials.slice(1, 2));
    await store.saveTrials(trials);
    expect(await store.countTrials('r-1')).toMatchObject({ pass: 3 });
    for (const { record, trace } of trials) {
      expect(await store.findTrial(record.trialId)).toEqual(record);
      expect(await store.readTrace(record.trialId)).toEqual(trace);
    }

    const others = [3, 4].map((ordinal) => finishedTrial('r-1', ordinal));
    const before = await postgres.query(url, 'select count(*) from packs');
    expect(await saveTrialsAtOnce(others, { parts: sql``, holds: sql`1 = 2` })).toBe(false);
    expect(await postgres.query(url, 'select count(*) from packs')).toEqual(before);
    expect(await store.countTrials('r-1')).toMatchObject({ pass: 3 });
    expect(await saveTrialsAtOnce(others, { parts: sql``, holds: sql`1 = 1` })).toBe(true);
    expect(await store.countTrials('r-1')).toMatchObject({ pass: 5 });
  });

  it('tells of changed bytes instead of giving wrong data', async () => {
    const url = await postgres.newDatabase();
    const { store } = await open(url);
    const trial = finishedTrial('r-1', 0, { output: 'y'.repeat(5_000) });
    const { trialId } = trial.record;
    await store.saveTrials([trial]);
    const damages = [
      "update trials set outcome = 'fail'",
      "update trials set reason = 'other'",
      'update trials set cost_usd = 9',
      'update trials set started_at = started_at + 1',
      'update trials set slot = slot + 1',
      'update packs set body = set_byte(body, 20, get_byte(body, 20) # 85)',
      'update packs set checksum = checksum # 1',
      'delete from packs',
    ];
    const [kept] = await postgres.query(url, 'select * from trials');
    expect(kept).toBeDefined();
    for (const damage of damages) {
      await postgres.query(url, 'create table if not exists trials_kept as select * from trials');
      await postgres.query(url, 'create table if not exists packs_kept as select * from packs');
      await postgres.query(url, damage);
      // A store that has not read the pack yet.
      const { store: other } = await open(url);
      const read = Promise.all([other.findTrial(trialId), other.readTrace(trialId)]);
      await expect(read, damage).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
      await postgres.query(url, 'delete from trials');
      await postgres.query(url, 'delete from packs');
      await postgres.query(url, 'insert into trials select * from trials_kept');
      await postgres.query(url, 'insert into packs overriding system value select * from packs_kept');
    }
    expect(await (await open(url)).store.findTrial(trialId)).toEqual(trial.record);
  });

  it('refuses a store that a newer version has written', async () => {
    const url = await postgres.newDatabase();
    await open(url);
    await postgres.query(url, "insert into assay_schema (version, name) values (999, 'from the future')");
    await expect(openStore(url, '/')).rejects.toMatchObject({ code: 'STORE_NEWER' });
  });

  it('says what a person can do when it cannot be opened, and never the password', async () => {
    const { port } = postgres.server;
    const failures = {
      [`postgres://assay:wr0ng-pass@127.0.0.1:${port}/postgres`]: /refused the user "assay"/,
      [`postgres://assay:not-a-secret@127.0.0.1:${port}/nowhere`]: /no database "nowhere"/,
      'postgres://assay:wr0ng-pass@127.0.0.1:1/postgres': /nothing answers at 127.0.0.1:1/,
      'postgres://assay:wr0ng-pass@host.invalid/postgres': /no host "host.invalid"/,
      [`postgres://assay:not-a-secret@127.0.0.1:${port}/postgres?sslmode=require`]: /does not support TLS/,
      'postgres://assay:wr0ng/pass@host:port/x': /not a valid address/,
      'postgress://assay:wr0ng-pass@host/x': /Unknown store "postgress:\/\/assay@host\/x"/,
    };
    for (const [url, message] of Object.entries(failures)) {
      const error = await openStore(url, '/').catch((thrown: unknown) => thrown);
      expect(error, url).toMatchObject({ message: expect.stringMatching(message) });
      expect(`${(error as Error).message}${(error as { hint: string }).hint}`).not.toMatch(/wr0ng|not-a-secret/);
    }
  });

  it('tells who may not make tables', async () => {
    const url = await postgres.newDatabase();
    await postgres.query(url, "create role guest login password 'not-a-secret'");
    await postgres.query(url, 'revoke create on schema public from public');
    await expect(openStore(url.replace('assay:', 'guest:'), '/')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('"guest" may not create tables'),
    });
  });

  it('stores trials in a transaction of somebody else, or not at all', async () => {
    const { store, db, saveTrialsIn } = await open(await postgres.newDatabase());
    const trials = [finishedTrial('r-1', 0), finishedTrial('r-1', 1)];
    const refused = db.transaction().execute(async (transaction) => {
      await saveTrialsIn(transaction, trials);
      throw new Error('the lease is lost');
    });
    await expect(refused).rejects.toThrow('the lease is lost');
    expect(await store.countTrials('r-1')).toMatchObject({ pass: 0 });
    await db.transaction().execute((transaction) => saveTrialsIn(transaction, trials));
    expect(await store.countTrials('r-1')).toMatchObject({ pass: 2 });
  });

  it('goes on when a newer version changes a table meanwhile', async () => {
    const url = await postgres.newDatabase();
    const { store } = await open(url);
    await store.saveTrials([finishedTrial('r-1', 0)]);
    const { trialId } = finishedTrial('r-1', 0).record;
    expect(await store.findTrial(trialId)).toBeDefined();
    await postgres.query(url, 'alter table trials add column something_new integer');
    expect(await store.findTrial(trialId)).toEqual(finishedTrial('r-1', 0).record);
  });

  it('finds nothing by ids that no database can hold', async () => {
    const { store } = await open(await postgres.newDatabase());
    await store.createRun(runHeader('r-1'));
    expect(await store.findRun('r-1\0')).toBeUndefined();
    expect(await store.findTrial('\0')).toBeUndefined();
  });
});

describe.skipIf(!hasPostgres)('a Postgres that restarts', () => {
  // Not even a server that is set up to forget commits loses any.
  const postgres = usePostgres(['synchronous_commit=off', 'fsync=off']);

  it('is waited for; what was asked meanwhile is answered, and one warning tells of it', async () => {
    const url = await postgres.newDatabase();
    const warnings: string[] = [];
    const { store } = await openPostgres(url, { reconnectMs: 30_000, warn: (message) => warnings.push(message) });
    await store.createRun(runHeader('r-1'));
    await Promise.all(Array.from({ length: 8 }, (_, index) => store.saveTrials([finishedTrial('r-1', index)])));
    await postgres.server.stop('immediate');
    const saved = Promise.all(
      Array.from({ length: 8 }, (_, index) => store.saveTrials([finishedTrial('r-1', 8 + index)])),
    );
    const found = store.findRun('r-1');
    await postgres.server.start();
    await saved;
    expect((await found)?.runId).toBe('r-1');
    expect((await store.countTrials('r-1')).pass).toBe(16);
    expect(warnings).toEqual([expect.stringMatching(/^The store postgres:\/\/assay@.* was lost/)]);
    await postgres.server.stop('fast');
    await postgres.server.start();
    expect((await store.listRuns(5)).map(({ runId }) => runId)).toEqual(['r-1']);
    await store[Symbol.asyncDispose]();
  });

  it('is waited for where it cuts the connections of a program that opens its store', async () => {
    const url = new URL(await postgres.newDatabase());
    const { port, hostname } = url;
    let connections = 0;
    const relay = createServer((client) => {
      const server = connect(Number(port), hostname);
      for (const socket of [client, server]) socket.on('error', () => undefined);
      client.pipe(server);
      client.on('close', () => server.destroy());
      // The first of them ends as soon as the server has answered.
      if (++connections === 1) server.once('data', () => client.destroy());
      else server.pipe(client);
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void relay.close());
    await once(relay, 'listening');
    url.port = String((relay.address() as AddressInfo).port);
    const { store } = await openPostgres(url.href, { reconnectMs: 30_000 });
    await store.createRun(runHeader('r-1'));
    expect((await store.findRun('r-1'))?.runId).toBe('r-1');
    await store[Symbol.asyncDispose]();
    expect(connections).toBeGreaterThan(1);
  });

  it('is not waited for without end', async () => {
    const { store } = await openPostgres(await postgres.newDatabase(), { reconnectMs: 0 });
    await postgres.server.stop('immediate');
    await expect(store.listRuns(1)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('did not come back'),
    });
    await store[Symbol.asyncDispose]();
  });
});
