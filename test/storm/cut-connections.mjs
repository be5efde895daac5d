import { setTimeout as wait } from 'node:timers/promises';
import { holdAgainstPromises } from './account.mjs';
import { randomFrom } from './random.mjs';
import { ask } from './stage.mjs';

const cutOne = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and application_name ~ '^(assay|storm)'
  order by md5(pid::text || $1) limit 1`;

export const cutConnections = {
  title: 'connections of coordinator and workers are cut at random, on and on',
  stage: { trials: 400, shortestMs: 10, longestMs: 100 },
  async run({ stage, fleet, account, seed }) {
    const random = randomFrom(seed);
    const run = stage.run();
    for (let index = 0; index < 4; index++) fleet.start({ leaseSecs: 2 });
    await stage.untilStored(1);
    let cuts = 0;
    while (run.child.exitCode === null && cuts < 200) {
      const rows = await ask(stage.url, cutOne, [String(random())]);
      cuts += rows.length;
      await wait(random() * 100);
    }
    const ended = await run.end;
    const survivors = fleet.free.length;
    await fleet.end();
    account.promise('connections were cut', cuts >= 20, `${cuts} times`);
    account.promise('all workers live on', survivors === 4, `${survivors} of 4`);
    await holdAgainstPromises(account, { stage, fleet, ended });
  },
};
